// What is known of one sweep besides its trials.

function dateText(seconds) {
  return seconds > 0 ?
      new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ') + ' UTC' :
      'not finished';
}

function sweepTitle(sweep) {
  return sweep.operation + ' ' + sweep.problem + ' | ' + sweep.device + ' | ' + sweep.policy +
      ' | ' + sweep.id.slice(0, 8);
}

// Only what differs from the implementation's default.
function differences(sweep, winner) {
  const found = sweep.implementations.find((one) => one.name === winner.implementation);
  const defaults = new Map(found ? found.default : []);
  const changed = winner.configuration.filter(([name, value]) => defaults.get(name) !== value);
  const others = winner.configuration.length - changed.length;
  return (pairsText(changed) || 'its default') +
      (changed.length && others ?
           ' (' + others + (others === 1 ? ' other' : ' others') + ': default)' :
           '');
}

// "2.3x faster": what became of a time, in the words of the program.
function fasterText(before, after) {
  if (!(before > 0)) return '';
  const ratio = Math.max(before / after, after / before);
  if (ratio < 1.005) return 'equal';
  const digits = ratio < 1.1 ? 2 : ratio < 100 ? 1 : 0;
  return ratio.toFixed(digits) + (before >= after ? 'x faster' : 'x slower');
}

function metricText(value) {
  return value === null ? '' : numberText(value);
}

// Columns that say nothing of any winner are left out.
function winnerTable({sweep, units}) {
  const metrics = metricsOf(sweep);
  const headings = [
    'implementation', 'time', 'warm', 'rate', 'against default', 'against runner-up',
    ...metrics.map(metricLabel), 'configuration'
  ];
  const rows = sweep.winners.map(
      (winner, i) =>
          [winner.implementation, textIn(units.time, winner.time_us),
           textIn(units.time, winner.warm_us),
           textIn(units.rate, sweep.gflop / winner.time_us * 1e6),
           fasterText(winner.default_us, winner.time_us),
           winner.tie ? 'tie' : fasterText(winner.runner_up_us, winner.time_us),
           ...metrics.map((metric) => metricText(metric.winners[i])),
           differences(sweep, winner)]);
  const kept = headings.map((_, i) => i).filter((i) => rows.some((row) => row[i]));
  const numeric = kept.map((i, place) => (i > 0 && i < headings.length - 1 ? place : -1));
  return table(kept.map((i) => headings[i]), rows.map((row) => kept.map((i) => row[i])), numeric);
}

// How many rows have each name of a choice: [[name, count]], the most first.
function countsOf(field, rows) {
  const counts = field.names.map((name) => [name, 0]);
  for (const row of rows) ++counts[field.values[row]][1];
  return counts.filter(([, count]) => count).sort((a, b) => b[1] - a[1]);
}

// "1122 of 1122 legal configurations (1120 measured, 2 wrong_answer), 8 of them again in the final;
// 38 s; end: finished".
function triedText(view) {
  const {sweep} = view;
  const screened = allRows(view).filter(view.isScreened);
  const outcomes = countsOf(view.byKey.get('outcome'), screened)
                       .filter(([name]) => name !== 'pruned');
  const tried = outcomes.reduce((sum, [, count]) => sum + count, 0);
  const final = view.count - screened.length;
  const counts = outcomes.map(([name, count]) => numberText(count) + ' ' + name).join(', ');
  return (sweep.candidates ?
              numberText(tried) + ' of ' + counted(sweep.candidates, 'legal configuration') :
              counted(tried, 'configuration')) +
      (counts ? ' (' + counts + ')' : '') +
      (final ? ', ' + final + ' of them again in the final' : '') +
      (sweep.seconds ? '; ' + numberText(sweep.seconds) + ' s' : '') +
      (sweep.end ? '; end: ' + sweep.end : '');
}

function factsOf(view) {
  const {sweep} = view;
  const failures = failuresOf(view);
  const facts = [
    ['sweep', sweep.id],
    ['problem', sweep.operation + ' ' + sweep.problem],
    ['device', sweep.device],
    ['policy', sweep.policy],
    [
      'search',
      sweep.strategy + (sweep.where ? ', only ' + sweep.where : '') +
          (sweep.objective ? ', for the best ' + sweep.objective : '')
    ],
    ['tried', triedText(view)],
    ['wrong answers found', sweep.check.join('; ')],
    ['started', dateText(sweep.started) + (sweep.imported ? ', imported' : '')],
    [
      'software',
      Object.entries(sweep.environment).map(([name, value]) => name + ' ' + value).join(', ')
    ],
  ];
  return element(
      'div', {class: 'facts', id: 'facts'},
      element(
          'dl', {},
          facts.filter(([, value]) => value)
              .map(([name, value]) => [element('dt', {}, name), element('dd', {}, value)])),
      sweep.winners.length ? winnerTable(view) :
                             element('p', {class: 'notice'}, 'No configuration was measured.'),
      failures.length ?
          [element('h3', {}, 'Failures, with an example of each'), barList(failures)] :
          null);
}

// What removed combinations: [{name, count, example}], the most first.
function cutsOf(sweep) {
  const many = sweep.implementations.filter((one) => one.cuts.length).length > 1;
  return sweep.implementations
      .flatMap((one) => one.cuts.map((cut) => ({
                                       name: (many ? one.name + ': ' : '') + cut.rule,
                                       count: cut.count,
                                       example: cut.example
                                     })))
      .sort((a, b) => b.count - a.count);
}

// Trials that failed, by outcome, rule and message: [{name, count, example}], the most first.
// Messages that differ in numbers alone are one. Pruned trials are among the cuts, if there are
// any.
function failuresOf(view) {
  const hasCuts = view.sweep.implementations.some((one) => one.cuts.length);
  const [outcome, rule] = [view.byKey.get('outcome'), view.byKey.get('rule')];
  const messages = view.sweep.trials.message;
  const kinds = messages.names.map((text) => text.replace(/[-+]?[\d.]+(e[-+]?\d+)?/gi, '#'));
  const found = new Map();
  for (let row = 0; row < view.count; ++row) {
    const what = valueText(outcome, row);
    if (what === 'measured' || what === 'duplicate' || (what === 'pruned' && hasCuts)) continue;
    const name = [what, valueText(rule, row), view.isScreened(row) ? '' : 'in the final']
                     .filter((part) => part)
                     .join(': ');
    const key = name + '\n' + kinds[messages.indices[row]];
    const example = messages.names[messages.indices[row]];
    if (!found.has(key)) found.set(key, {name, count: 0, example});
    ++found.get(key).count;
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}

const MOST_BARS_OF_LIST = 40;

// Counts as bars below their names, so that both have the whole width.
function barList(items) {
  const most = items[0].count;
  const left = items.length - MOST_BARS_OF_LIST;
  const line = ({name, count, example}) => element(
      'li', {}, element('strong', {}, numberText(count)), ' ' + name,
      element('div', {class: 'bar', style: 'width: ' + 100 * count / most + '%'}),
      element('p', {class: 'note'}, example));
  return element(
      'ul', {class: 'bars'}, items.slice(0, MOST_BARS_OF_LIST).map(line),
      left > 0 ? element('li', {}, counted(left, 'less frequent reason') + ' left out') : null);
}

function drawCuts(frame, view) {
  const items = cutsOf(view.sweep);
  if (!items.length) return showNothing(frame, 'Nothing was ruled out.');
  say(frame, '');
  frame.plot.replaceChildren(barList(items));
  frame.plot.dataset.drawn = 'yes';
}

// The most FLOP/s at each intensity (FLOP per byte) under a compute limit and the memory's.
function roofTraces(limits, unit, from, to) {
  const even = Array.from({length: 61}, (_, i) => from * Math.pow(to / from, i / 60));
  const bends = limits.memory ? limits.compute.map((limit) => limit.gflops / limits.memory) : [];
  const steps = even.concat(bends).sort((a, b) => a - b);
  const roof = (limit, i) => ({
    type: 'scatter',
    mode: 'lines',
    name: plain(limit.name + ': ' + textIn(unit, limit.gflops)),
    x: steps,
    y: steps.map(
        (intensity) => Math.min(limit.gflops, (limits.memory || Infinity) * intensity) / unit.size),
    line: {dash: DASHES[i % DASHES.length], color: colour(i)},
    hovertemplate: '%{y:.4~r} ' + unit.name + ' at %{x:.3~r} FLOP/byte<extra></extra>'
  });
  return limits.compute.map(roof);
}

// Winners of other sweeps on this device, and the chosen sweep's fastest trials.
function rooflinePoints(sweeps, view) {
  const onDevice = sweeps.filter(
      (one) => one.device === view.sweep.device && one.gflop > 0 && one.gigabyte > 0 &&
          one.winners.length);
  const others = onDevice.filter((one) => one !== view.sweep).slice(0, 200);
  const intensity = (one) => one.gflop / one.gigabyte;
  const unit = view.units.rate;
  const rate = (one, us) => one.gflop / us * 1e6 / unit.size;
  const fastest = thinned(view, sortedRows(view), 500);
  const traces = [
    {
      name: 'trials of this sweep',
      x: Array.from(fastest, () => intensity(view.sweep)),
      y: Array.from(fastest, (row) => view.byKey.get('rate').values[row]),
      marker: {symbol: 'line-ew-open', size: 12, color: cssColour('--quiet')},
      hovertemplate: '%{y:.4~r} ' + unit.name + '<extra></extra>'
    },
    {
      name: 'winners of other sweeps',
      x: others.map(intensity),
      y: others.map((one) => rate(one, one.winners[0].time_us)),
      text: others.map((one) => plain(sweepTitle(one))),
      marker: {symbol: 'square', size: 8, color: colour(2)},
      hovertemplate: '%{text}<br>%{y:.4~r} ' + unit.name + '<extra></extra>'
    },
    {
      name: 'winner of this sweep',
      x: [intensity(view.sweep)],
      y: view.sweep.winners.slice(0, 1).map((w) => rate(view.sweep, w.time_us)),
      marker: {symbol: 'star', size: 15, color: colour(1)},
      hovertemplate: 'winner: %{y:.4~r} ' + unit.name + '<extra></extra>'
    },
  ];
  return traces.filter((trace) => trace.y.length)
      .map((trace) => ({type: 'scatter', mode: 'markers', ...trace}));
}

function rooflineText(sweep) {
  const {compute, memory, sm_mhz: mhz} = sweep.limits;
  const winner = sweep.winners[0];
  if (!compute.length && !memory) return 'The limits of ' + sweep.device + ' are not known.';
  const share = (amount, limit) => percentText(amount / winner.time_us * 1e6 / limit);
  const parts =
      compute.map((limit) => share(sweep.gflop, limit.gflops) + ' of the ' + limit.name + ' limit');
  if (memory)
    parts.push(
        share(sweep.gigabyte, memory) + ' of the memory limit of ' + numberText(memory) + ' GB/s');
  return 'The winner reaches ' + parts.join(', ') + '.' +
      (memory ? '' : ' The memory limit is not known.') +
      (compute.length ?
           ' Compute limits are for the highest clock seen, ' + numberText(mhz) + ' MHz.' :
           '');
}

// For an operation that does not declare both FLOP and bytes.
function bandwidthText(sweep) {
  if (!(sweep.gigabyte > 0)) return 'The operation does not say how many bytes a call needs.';
  const rate = sweep.gigabyte / sweep.winners[0].time_us * 1e6;
  const {memory} = sweep.limits;
  return 'The operation declares no FLOP. The winner moves ' + numberText(rate) + ' GB/s' +
      (memory ? ', ' + percentText(rate / memory) + ' of the memory limit.' : '.');
}

function drawRoofline(frame, view, sweeps) {
  const sweep = view.sweep;
  if (!sweep.winners.length) return showNothing(frame, 'No configuration was measured.');
  if (!(sweep.gflop > 0 && sweep.gigabyte > 0)) return showNothing(frame, bandwidthText(sweep));
  say(frame, rooflineText(sweep));
  const points = rooflinePoints(sweeps, view);
  const intensities = points.flatMap((trace) => trace.x);
  const {compute, memory} = sweep.limits;
  if (memory)
    intensities.push(...compute.map((limit) => limit.gflops / memory));  // where the roofs bend
  const unit = view.units.rate;
  const [from, to] = [Math.min(...intensities) / 8, Math.max(...intensities) * 8];
  const traces = roofTraces(sweep.limits, unit, from, to).concat(points);
  const rates = traces.flatMap((trace) => trace.y);
  return draw(frame, traces, {
    height: 440,
    xaxis: logAxis('FLOP per byte of operands', to / from),
    yaxis: logAxis(unit.name, Math.max(...rates) / Math.min(...rates))
  });
}
