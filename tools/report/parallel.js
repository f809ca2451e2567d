// The best trials as lines over the parameters that matter most.

const MOST_DIMENSIONS = 9;
const MOST_LINES = 300;
const LINE_GROUPS = 5;

// A vertical axis of the parallel coordinates: where a row crosses it, from 0 to 1, and its labels.
function crossingsOf(field, rows) {
  if (field.names) {
    const last = Math.max(1, field.names.length - 1);
    const every = Math.ceil(field.names.length / 12);
    const labels = field.names.map((name, i) => [i / last, name]).filter((_, i) => i % every === 0);
    return {label: field.label, at: (row) => field.values[row] / last, labels};
  }
  const values = Array.from(rows, (row) => field.values[row]);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const range = most - least || 1;
  return {
    label: field.label,
    at: (row) => (field.values[row] - least) / range,
    labels: [[0, numberText(least)], [(most - least) / range, numberText(most)]]
  };
}

// One trace: the lines of these rows with gaps between them.
function linesOf(view, axes, rows, group) {
  const trace = {
    type: 'scatter',
    mode: 'lines',
    x: [],
    y: [],
    text: [],
    hovertemplate: '%{text}<extra></extra>',
    opacity: 0.75,
    name: numberText(view.times[rows[0]]) + ' to ' + numberText(view.times[rows[rows.length - 1]]) +
        ' \u00b5s',
    line: {color: colour(group), dash: DASHES[group % DASHES.length], width: group === 0 ? 2 : 1}
  };
  for (const row of rows) {
    const text = hoverText(view, row);
    const shift = ((row * 0.618034) % 1 - 0.5) * 0.03;
    axes.forEach((one, i) => {
      const at = one.at(row);
      trace.x.push(i);
      trace.y.push(at < 0 ? null : at + shift);
      trace.text.push(text);
    });
    trace.x.push(null);
    trace.y.push(null);
    trace.text.push('');
  }
  return trace;
}

// The best 5 % as lines over the parameters that matter most. Plotly's own chart of this kind takes
// seconds where WebGL has no GPU, and only a mouse can use what it adds.
function drawParallel(frame, view, rows) {
  const timed = fastestFirst(view, rows);
  if (!timed.length) return showNothing(frame, 'No chosen trial has a time.');
  const all = Math.max(Math.min(10, timed.length), Math.ceil(timed.length * 0.05));
  const best = timed.slice(0, Math.min(all, MOST_LINES));
  say(frame,
      numberText(all) + ' of ' + numberText(timed.length) + ' trials' +
          (best.length < all ? '; the fastest ' + numberText(best.length) + ' of them are drawn' :
                               '') +
          '.');
  const fields = [...view.parameters.slice(0, MOST_DIMENSIONS), view.byKey.get('time_us')];
  const axes = fields.map((field) => crossingsOf(field, best));
  const size = Math.ceil(best.length / LINE_GROUPS);
  const traces = [];
  for (let at = 0; at < best.length; at += size)
    traces.push(linesOf(view, axes, best.slice(at, at + size), at / size));
  const labels = axes.flatMap((one, i) => one.labels.map(([y, text]) => ({
                                                           x: i,
                                                           y,
                                                           text: plain(shortened(text, 14)),
                                                           showarrow: false,
                                                           font: {size: 11},
                                                           bgcolor: cssColour('--panel'),
                                                           borderpad: 1
                                                         })));
  const bars = axes.map((_, i) => ({
                          type: 'line',
                          x0: i,
                          x1: i,
                          y0: -0.03,
                          y1: 1.03,
                          layer: 'below',
                          line: {color: cssColour('--line'), width: 1.5}
                        }));
  return draw(frame, traces.reverse(), {
    height: 460,
    annotations: labels,
    shapes: bars,
    legend: {
      orientation: 'h',
      y: 1.12,
      traceorder: 'reversed',
      itemclick: false,
      itemdoubleclick: false
    },
    xaxis: axis('', {
      tickvals: axes.map((_, i) => i),
      ticktext: axes.map((one) => plain(one.label)),
      range: [-0.3, axes.length - 0.7],
      showgrid: false,
      zeroline: false
    }),
    yaxis: {visible: false, range: [-0.06, 1.06]}
  });
}
