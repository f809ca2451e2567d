// Charts of trials: one function a chart. Each gets its frame, the view of a sweep, the rows that
// match the filters, and what the reader has chosen.

// The rows at which the fastest time so far fell.
function improvements(view, rows) {
  const steps = [];
  let best = Infinity;
  for (const row of rows)
    if (view.times[row] > 0 && view.isScreened(row) && view.times[row] < best) {
      best = view.times[row];
      steps.push(row);
    }
  return steps;
}

function lastScreened(view) {
  for (let row = view.count - 1; row >= 0; --row)
    if (view.isScreened(row)) return row;
  return view.count - 1;
}

// Which trials' ends are estimates. Empty: none.
function estimateText(view) {
  const estimated = view.sweep.estimated_ends;
  if (!estimated) return '';
  const which = estimated === view.count ?
      'No trial says when it ended, so all seconds are estimates' :
      'Without the time at which they ended, and so with estimated seconds: ' +
          numberText(estimated) + ' of ' + counted(view.count, 'trial');
  return which +
      ': the time of the sweep is divided in proportion to the times of compiles and timed calls.';
}

// Best so far, of all trials: it is the history of the search, so filters do not change it.
function drawConvergence(frame, view, xKey) {
  const xs = view.byKey.get(xKey);
  const unit = view.units.time;
  const groups = groupsOf(view.byKey.get('implementation'), allRows(view));
  const traces = groups
                     .map((group, i) => {
                       const steps = improvements(view, group.rows);
                       const end = xs.values[lastScreened(view)];
                       const y = steps.map((row) => view.times[row]);
                       return {
                         type: 'scatter',
                         mode: 'lines+markers',
                         name: plain(group.name),
                         x: steps.map((row) => xs.values[row]).concat(end),
                         y: y.concat(y[y.length - 1]),
                         line: {shape: 'hv', dash: DASHES[i % DASHES.length], color: colour(i)},
                         marker: {symbol: SYMBOLS[i]},
                         hovertemplate: '%{x}: %{y} ' + unit.name + '<extra></extra>'
                       };
                     })
                     .filter((trace) => trace.y[0] > 0);
  if (!traces.length) return showNothing(frame, 'No trial has a time.');
  const winner = view.sweep.winners[0];
  if (winner)
    traces.push({
      type: 'scatter',
      mode: 'markers+text',
      name: view.byKey.get('stage').names.includes('final') ? 'winner of the final' : 'winner',
      x: [xs.values[view.count - 1]],
      y: [winner.time_us / unit.size],
      marker: {symbol: 'star', size: 13, color: cssColour('--text')},
      hovertemplate: 'winner: %{y} ' + unit.name + '<extra></extra>'
    });
  const [allX, allY] = ['x', 'y'].map((key) => traces.flatMap((trace) => trace[key]));
  return draw(frame, traces, {
    xaxis: numberAxis(xs.label, allX, 'linear', {rangemode: 'tozero'}),
    yaxis: numberAxis('best time so far in ' + unit.name, allY, 'log')
  });
}

function scatterMarkers(view, field, rows) {
  const values = Array.from(rows, (row) => field.values[row]);
  return {
    color: values,
    ...fastScale(),
    size: 7,
    symbol: 'circle',
    opacity: 0.85,
    showscale: true,
    colorbar: {title: {text: plain(field.label), side: 'right'}, thickness: 12}
  };
}

// Points of one colour scale for numbers, or one trace with its own symbol for each group.
function pointTraces(view, rows, x, y, by) {
  const kind = pointKind().type;
  const trace = (own, more) => ({
    type: kind,
    mode: 'markers',
    x: positions(x, own),
    y: positions(y, own),
    customdata: Array.from(own, (row) => row + 1),
    hovertemplate: 'trial %{customdata}<extra></extra>',
    ...more
  });
  if (!by.names) return [trace(rows, {marker: scatterMarkers(view, by, rows), showlegend: false})];
  return groupsOf(by, rows).map(
      (group, i) => trace(group.rows, {
        name: plain(group.name),
        showlegend: true,
        marker: {symbol: SYMBOLS[i], color: colour(i), size: 7, opacity: 0.8}
      }));
}

function winnerTrace(view, x, y) {
  const best = sortedRows(view).slice(0, 1);
  return {
    type: 'scatter',
    mode: 'markers',
    name: 'fastest',
    x: positions(x, best),
    y: positions(y, best),
    customdata: Array.from(best, (row) => row + 1),
    hovertemplate: 'fastest: trial %{customdata}<extra></extra>',
    marker: {symbol: 'star-open', size: 18, color: cssColour('--text'), line: {width: 2}}
  };
}

function drawScatter(frame, view, rows, chosen) {
  const [x, y, by] = [chosen.x, chosen.y, chosen.colour].map((key) => view.byKey.get(key));
  const shown = rows.filter(
      (row) => [x, y].every(
          (field) => (field.names ? field.values[row] >= 0 : !Number.isNaN(field.values[row]))));
  if (!shown.length)
    return showNothing(
        frame, 'No chosen trial has a value on both axes.');
  const drawn = thinned(view, shown, pointKind().most);
  const missing = rows.length - shown.length;
  say(frame,
      thinningText(shown.length, drawn.length) +
          (missing ? 'Without a value on these axes: ' + numberText(missing) + ' of ' +
                   counted(rows.length, 'chosen trial') + '.' :
                     ''));
  const traces = pointTraces(view, drawn, x, y, by);
  traces.push(winnerTrace(view, x, y));
  frame.view = view;
  return draw(frame, traces, {
    height: 520,
    legend: legendOf(by.names ? by.label : ''),
    xaxis: fieldAxis(x, drawn),
    yaxis: fieldAxis(y, drawn)
  });
}

function thinningText(all, drawn) {
  if (drawn >= all) return '';
  return 'Thinned: ' + numberText(drawn) + ' of ' + numberText(all) +
      ' points are drawn, among them the fastest ' + numberText(drawn >> 1) +
      ' without exception. ';
}

// The best of the chosen trials by time, or by the metric whose field is `order`, for readers without
// a mouse.
function showBest(frame, view, rows, order) {
  const metrics = metricsOf(view.sweep);
  const place = metrics.findIndex((_, i) => metricKey(i) === order);
  const sorted = place < 0 ? fastestFirst(view, rows) : bestFirst(view, rows, place);
  const best = sorted.slice(0, 10);
  frame.below.replaceChildren();
  if (!best.length) return;
  const varying = view.parameters.map((field) => field.label);
  const lines = Array.from(
      best,
      (row) =>
          [row + 1, timeText(view, view.times[row]),
           ...metrics.map((metric) => metricText(metric.trials[row])),
           valueText(view.byKey.get('implementation'), row),
           configurationText(view, row, view.parameters)]);
  frame.below.append(element(
      'details', {},
      element(
          'summary', {},
          'The ' + (best.length > 1 ? best.length + ' ' : '') + (place < 0 ? 'fastest' : 'best') +
              ' chosen trial' + (best.length > 1 ? 's' : '') +
              (place < 0 ? '' : ' by ' + metrics[place].name)),
      table(
          [
            'trial', 'time', ...metrics.map(metricLabel), 'implementation',
            varying.length ? 'parameters that vary' : 'parameters'
          ],
          lines, [0, 1, ...metrics.map((_, i) => i + 2)])));
}

const SHARES = [0.01, 0.05, 0.1];

function drawDistribution(frame, view, rows) {
  const timed = timedRows(view, rows);
  if (!timed.length) return showNothing(frame, 'No chosen trial has a time.');
  const sorted = Float64Array.from(timed, (row) => view.times[row]).sort();
  const ratios = sorted.map((us) => us / sorted[0]);
  const within = SHARES.map((share) => ratios.filter((ratio) => ratio <= 1 + share).length);
  say(frame,
      SHARES
          .map(
              (share, i) => (i ? 'within ' : 'Within ') + percentText(share) +
                  ' of the best: ' + numberText(within[i]) + ' of ' + numberText(timed.length) +
                  ' (' + percentText(within[i] / timed.length) + ')')
          .join('; '));
  const end = Math.max(
      1.2,
      Math.min(ratios[ratios.length - 1], 1.1 * ratios[Math.floor(0.95 * (ratios.length - 1))]));
  const line = (i) => ({dash: DASHES[i + 1], width: 1.5, color: cssColour('--text')});
  const lines = SHARES.map(
      (share, i) => lineShape([1 + share, 0], [1 + share, 1], {yref: 'paper', line: line(i)}));
  const beyond = ratios.filter((ratio) => ratio > end).length;
  if (beyond)
    say(frame,
        frame.notice.textContent + '. Further to the right: ' + counted(beyond, 'slower trial') +
            '; drag the axis to see more.');
  return draw(
      frame, [{
        type: 'histogram',
        x: ratios,
        xbins: {start: 1, size: (end - 1) / 60},
        marker: {color: colour(0)},
        hovertemplate: '%{x}: %{y} of the trials<extra></extra>'
      }],
      {
        xaxis: axis('time / best time', {range: [1 - (end - 1) / 60, end]}),
        yaxis: axis('trials', timed.length < 6 ? {dtick: 1} : {}),
        shapes: lines,
        bargap: 0.05
      });
}

// Registers, occupancy or another figure of the compiled code against time, with the least time of
// each value.
function drawResources(frame, view, rows, key) {
  const x = view.byKey.get(key);
  if (!x) return showNothing(frame, 'The trials have no such figures.');
  const timed = timedRows(view, rows).filter((row) => !Number.isNaN(x.values[row]));
  if (!timed.length) return showNothing(frame, 'No chosen trial has a time and this figure.');
  const drawn = thinned(view, timed, pointKind().most >> 1);
  say(frame, thinningText(timed.length, drawn.length));
  const least = new Map();
  for (const row of timed)
    least.set(x.values[row], Math.min(view.times[row], least.get(x.values[row]) || Infinity));
  const steps = [...least].sort((a, b) => a[0] - b[0]);
  const traces =
      pointTraces(view, drawn, x, view.byKey.get('time_us'), view.byKey.get('implementation'));
  traces.push({
    type: 'scatter',
    mode: 'lines',
    name: 'least time',
    x: steps.map((s) => s[0]),
    y: steps.map((s) => s[1]),
    line: {color: cssColour('--text'), width: 1.5, dash: 'dash'},
    hovertemplate: '%{x}: %{y} ' + view.units.time.name + '<extra></extra>'
  });
  frame.view = view;
  return draw(frame, traces, {
    legend: legendOf('implementation'),
    xaxis: fieldAxis(x, drawn),
    yaxis: fieldAxis(view.byKey.get('time_us'), drawn)
  });
}
