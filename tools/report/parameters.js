// Charts of parameters.

function drawImportance(frame, view) {
  const items = view.sweep.importance.slice().reverse();
  if (!items.length)
    return showNothing(frame, 'Fewer than 20 trials have times, so the importance is not known.');
  return draw(
      frame, [{
        type: 'bar',
        orientation: 'h',
        y: items.map((item) => plain(item.name)),
        x: items.map((item) => 100 * item.share),
        error_x: {
          type: 'data',
          symmetric: false,
          array: items.map((item) => 100 * Math.max(0, item.high - item.share)),
          arrayminus: items.map((item) => 100 * Math.max(0, item.share - item.low)),
          color: cssColour('--quiet')
        },
        marker: {color: colour(0)},
        hovertemplate: '%{y}: %{x:.1f} %<extra></extra>'
      }],
      {
        height: 90 + 24 * items.length,
        xaxis: axis('share in %', {rangemode: 'tozero'}),
        yaxis: axis('', {type: 'category'}),
        bargap: 0.35
      });
}

// The least time of each value of a choice: [{name, time, count}] in the order of the values.
function bestByValue(view, field, rows) {
  const best = field.names.map((name) => ({name, time: Infinity, count: 0}));
  for (const row of rows) {
    const value = field.values[row];
    if (value < 0) continue;
    best[value].time = Math.min(best[value].time, view.times[row]);
    ++best[value].count;
  }
  return best.filter((item) => item.count > 0);
}

const MOST_BARS = 60;

// The best time for each value of each parameter that varies among the rows, the most important
// parameter first: {lines: [{label, name, time}], first: of each parameter's lines}.
function valueLines(view, rows) {
  const lines = [];
  const first = [];
  for (const field of view.parameters) {
    const items = bestByValue(view, field, rows);
    if (items.length < 2) continue;
    if (lines.length && lines.length + items.length > MOST_BARS) break;
    first.push(lines.length);
    for (const item of items) lines.push({label: field.label, name: item.name, time: item.time});
  }
  return {lines, first};
}

function drawValues(frame, view, rows) {
  const timed = timedRows(view, rows);
  if (!timed.length) return showNothing(frame, 'No chosen trial has a time.');
  const {lines, first} = valueLines(view, timed);
  if (!lines.length) return showNothing(frame, 'The chosen trials differ in no parameter.');
  const best = lines.reduce((least, line) => Math.min(least, line.time), Infinity);
  say(frame,
      first.length < view.parameters.length ? first.length + ' of ' + view.parameters.length +
              ' parameters, the most important ones that vary.' :
                                              '');
  const labels = lines.map(
      (line, i) => plain((first.includes(i) ? line.label + '  ' : '') + shortened(line.name, 16)));
  const line = {color: cssColour('--line'), width: 1};
  const separators =
      first.slice(1).map((i) => lineShape([0, i - 0.5], [1, i - 0.5], {xref: 'paper', line}));
  return draw(
      frame, [{
        type: 'scatter',
        mode: 'markers+text',
        y: lines.map((_, i) => i),
        x: lines.map((line) => line.time / best),
        text: lines.map((line) => timeText(view, line.time)),
        textposition: 'middle right',
        cliponaxis: false,
        marker: {symbol: 'diamond', size: 9, color: colour(1)},
        hovertemplate: '%{x:.3f} times the best<extra></extra>'
      }],
      {
        height: 80 + 21 * lines.length,
        margin: {l: 20, r: 65, t: 12, b: 20},
        shapes: separators,
        xaxis: axis('time / best time'),
        yaxis: axis('', {
          tickvals: lines.map((_, i) => i),
          ticktext: labels,
          range: [lines.length - 0.4, -0.6],
          showgrid: false,
          zeroline: false
        })
      });
}

// The least time of each pair of values, as rows of the y field.
function bestByPair(view, x, y, rows) {
  const grid = y.names.map(() => x.names.map(() => null));
  for (const row of rows) {
    const [i, j] = [y.values[row], x.values[row]];
    if (i < 0 || j < 0) continue;
    if (grid[i][j] === null || view.times[row] < grid[i][j]) grid[i][j] = view.times[row];
  }
  return grid;
}

function drawHeatMap(frame, view, rows, xKey, yKey) {
  const timed = timedRows(view, rows);
  const [x, y] = [view.byKey.get(xKey), view.byKey.get(yKey)];
  if (!x || !y || !timed.length)
    return showNothing(frame, 'A heat map needs two parameters that vary, and times.');
  const grid = bestByPair(view, x, y, timed);
  const least = Math.min(...grid.flat().filter((time) => time !== null));
  if (!Number.isFinite(least)) return showNothing(frame, 'No chosen trial has both parameters.');
  const ratios =
      grid.map((line) => line.map((time) => (time === null ? null : time / least)));
  say(frame,
      'Best: ' + timeText(view, least) + '. Numbers are times / best; empty pairs were not measured.');
  return draw(
      frame,
      [ratioTrace(frame, ratios, {hovertemplate: '%{z:.3f} times the best<extra></extra>'})], {
        height: Math.min(700, 120 + 34 * y.names.length),
        xaxis: fieldAxis(x, timed),
        yaxis: fieldAxis(y, timed)
      });
}
