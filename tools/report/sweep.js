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
function winnerTable(sweep) {
  const metrics = metricsOf(sweep);
  const headings = [
    'implementation', 'time', 'warm', 'rate', 'against default', 'against runner-up',
    ...metrics.map(metricLabel), 'configuration'
  ];
  const rows = sweep.winners.map(
      (winner, i) =>
          [winner.implementation, timeText(winner.time_us),
           winner.warm_us ? timeText(winner.warm_us) : '',
           sweep.gflop > 0 ? rateText(sweep.gflop / winner.time_us * 1e6) : '',
           fasterText(winner.default_us, winner.time_us),
           winner.tie ? 'tie' : fasterText(winner.runner_up_us, winner.time_us),
           ...metrics.map((metric) => metricText(metric.winners[i])),
           differences(sweep, winner)]);
  const kept = headings.map((_, i) => i).filter((i) => rows.some((row) => row[i]));
  const numeric = kept.map((i, place) => (i > 0 && i < headings.length - 1 ? place : -1));
  return table(kept.map((i) => headings[i]), rows.map((row) => kept.map((i) => row[i])), numeric);
}

// "1122 of 1122 legal configurations, 8 of them again in the final; 38 s; end: finished".
function triedText(sweep) {
  const {stage, outcome} = sweep.trials;
  const count = (column, name) => column.indices.filter((i) => column.names[i] === name).length;
  const final = count(stage, 'final');
  const tried = sweep.trials.count - final - count(outcome, 'pruned');
  return numberText(tried) +
      (sweep.candidates ? ' of ' + numberText(sweep.candidates) + ' legal' : '') +
      ' configurations' + (final ? ', ' + final + ' of them again in the final' : '') +
      (sweep.seconds ? '; ' + numberText(sweep.seconds) + ' s' : '') +
      (sweep.end ? '; end: ' + sweep.end : '');
}

function factsOf(sweep) {
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
    ['tried', triedText(sweep)],
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
      sweep.winners.length ? winnerTable(sweep) :
                             element('p', {class: 'notice'}, 'No configuration was measured.'));
}

// What ruled out configurations: [{name, count, example}], the most first.
function cutsOf(sweep) {
  const many = sweep.implementations.length > 1;
  return sweep.implementations
      .flatMap((one) => one.cuts.map((cut) => ({
                                       name: (many ? one.name + ': ' : '') + cut.rule,
                                       count: cut.count,
                                       example: cut.example
                                     })))
      .sort((a, b) => b.count - a.count);
}

// Trials that gave no time, by what became of them. Pruned ones are among the cuts, if there are
// any.
function failuresOf(view) {
  const hasCuts = view.sweep.implementations.some((one) => one.cuts.length);
  const outcome = view.byKey.get('outcome');
  const rule = view.byKey.get('rule');
  const messages = view.sweep.trials.message;
  const found = new Map();
  for (let row = 0; row < view.count; ++row) {
    const name =
        valueText(outcome, row) + (valueText(rule, row) ? ': ' + valueText(rule, row) : '');
    if (valueText(outcome, row) === 'measured' || !view.isScreened(row)) continue;
    if (valueText(outcome, row) === 'pruned' && hasCuts) continue;
    const known =
        found.get(name) || {name, count: 0, example: messages.names[messages.indices[row]]};
    ++known.count;
    found.set(name, known);
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}

const MOST_RULES = 40;

function drawCuts(frame, view) {
  const items = [...cutsOf(view.sweep), ...failuresOf(view)];
  frame.below.replaceChildren();
  if (!items.length)
    return showNothing(frame, 'Nothing was ruled out, and every trial gave a time.');
  const shown = items.slice(0, MOST_RULES).reverse();
  say(frame,
      items.length > MOST_RULES ?
          'The ' + MOST_RULES + ' most frequent of ' + items.length + ' reasons.' :
          '');
  frame.below.append(element(
      'details', {}, element('summary', {}, 'All reasons, with an example of each'),
      table(
          ['reason', 'configurations', 'example'],
          items.map((item) => [item.name, numberText(item.count), item.example]), [1])));
  return draw(
      frame, [{
        type: 'bar',
        orientation: 'h',
        y: shown.map((_, i) => i),
        x: shown.map((item) => item.count),
        text: shown.map((item) => numberText(item.count)),
        textposition: 'auto',
        marker: {color: colour(0)},
        hovertemplate: '%{text}<extra></extra>'
      }],
      {
        height: 90 + 22 * shown.length,
        margin: {l: 300, r: 20, t: 12, b: 48},
        xaxis: axis('configurations', {type: 'log'}),
        yaxis: axis('', {
          tickvals: shown.map((_, i) => i),
          ticktext: shown.map((item) => plain(shortened(item.name, 60)))
        })
      });
}

// The most GFLOP/s at an intensity (FLOP per byte) under a compute limit and the memory's.
function roofAt(limit, memory, intensity) {
  return memory ? Math.min(limit.gflops, memory * intensity) : limit.gflops;
}

function roofTraces(limits, from, to) {
  const even = Array.from({length: 61}, (_, i) => from * Math.pow(to / from, i / 60));
  const bends = limits.memory ? limits.compute.map((limit) => limit.gflops / limits.memory) : [];
  const steps = even.concat(bends).sort((a, b) => a - b);
  const roof = (limit, i) => ({
    type: 'scatter',
    mode: 'lines',
    name: plain(limit.name + ': ' + rateText(limit.gflops)),
    x: steps,
    y: steps.map((intensity) => roofAt(limit, limits.memory, intensity)),
    line: {dash: DASHES[i % DASHES.length], color: colour(i)},
    hovertemplate: '%{y:.4s} GFLOP/s at %{x:.3g} FLOP/byte<extra></extra>'
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
  const rate = (one, us) => one.gflop / us * 1e6;
  const fastest = thinned(view, sortedRows(view), 500);
  return [
    {
      type: 'scatter',
      mode: 'markers',
      name: 'trials of this sweep',
      x: Array.from(fastest, () => intensity(view.sweep)),
      y: Array.from(fastest, (row) => rate(view.sweep, view.times[row])),
      marker: {symbol: 'line-ew-open', size: 12, color: cssColour('--quiet')},
      hovertemplate: '%{y:.4s} GFLOP/s<extra></extra>'
    },
    {
      type: 'scatter',
      mode: 'markers',
      name: 'winners of other sweeps',
      x: others.map(intensity),
      y: others.map((one) => rate(one, one.winners[0].time_us)),
      text: others.map((one) => plain(sweepTitle(one))),
      marker: {symbol: 'square', size: 8, color: colour(2)},
      hovertemplate: '%{text}<br>%{y:.4s} GFLOP/s<extra></extra>'
    },
    {
      type: 'scatter',
      mode: 'markers',
      name: 'winner of this sweep',
      x: [intensity(view.sweep)],
      y: view.sweep.winners.slice(0, 1).map((w) => rate(view.sweep, w.time_us)),
      marker: {symbol: 'star', size: 15, color: colour(1)},
      hovertemplate: 'winner: %{y:.4s} GFLOP/s<extra></extra>'
    },
  ].filter((trace) => trace.y.length);
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
  const traces =
      roofTraces(sweep.limits, Math.min(...intensities) / 8, Math.max(...intensities) * 8);
  return draw(frame, traces.concat(points), {
    height: 440,
    xaxis: axis('FLOP per byte of operands', {type: 'log'}),
    yaxis: axis('GFLOP/s', {type: 'log', dtick: 'D2', tickformat: '~g'})
  });
}
