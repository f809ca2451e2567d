// The best trials as lines over the parameters that matter most.

const MOST_DIMENSIONS = 9;
const LEAST_DISTANCE = 64;  // of two axes in pixels
const NONE_AT = -0.12;      // where a trial crosses an axis of which it has no value
const MOST_LINES = 300;
const LINE_GROUPS = 5;

// A vertical axis of the parallel coordinates: where a row crosses it, from 0 to 1 or at NONE_AT,
// and its labels.
function crossingsOf(field, rows) {
  if (field.names) {
    const last = Math.max(1, field.names.length - 1);
    const every = Math.ceil(field.names.length / 12);
    const short = (name) => (field.key === 'implementation' ? name.split('/').pop() : name);
    const labels = field.names.map((name, i) => [i / last, short(name)])
                       .filter((_, i) => i % every === 0);
    if (rows.some((row) => field.values[row] < 0)) labels.push([NONE_AT, 'none']);
    const at = (row) => (field.values[row] < 0 ? NONE_AT : field.values[row] / last);
    return {label: field.label, at, labels};
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
    name: numberText(view.times[rows[0]]) + ' to ' + numberText(view.times[rows[rows.length - 1]]),
    line: {color: colour(group), dash: DASHES[group % DASHES.length], width: group === 0 ? 2 : 1}
  };
  for (const row of rows) {
    const text = hoverText(view, row);
    const shift = ((row * 0.618034) % 1 - 0.5) * 0.03;
    axes.forEach((one, i) => {
      trace.x.push(i);
      trace.y.push(one.at(row) + shift);
      trace.text.push(text);
    });
    trace.x.push(null);
    trace.y.push(null);
    trace.text.push('');
  }
  return trace;
}

// The implementation and the parameters, the most important first: those in which these trials
// differ, and the values that they share.
function dimensionsOf(view, rows) {
  const fields = [view.byKey.get('implementation'), ...view.parameters];
  const differs = (field) => rows.some((row) => field.values[row] !== field.values[rows[0]]);
  const shared = fields.filter((field) => !differs(field) && field.names.length > 1)
                     .map((field) => [field.label, valueText(field, rows[0])])
                     .filter(([, value]) => value);
  return {dimensions: fields.filter(differs), shared: pairsText(shared)};
}

// The best 5 % as lines over the parameters that matter most. Plotly's own chart of this kind takes
// seconds where WebGL has no GPU, and only a mouse can use what it adds.
function drawParallel(frame, view, rows) {
  const timed = fastestFirst(view, rows);
  if (!timed.length) return showNothing(frame, 'No chosen trial has a time.');
  const all = Math.max(Math.min(10, timed.length), Math.ceil(timed.length * 0.05));
  const best = timed.slice(0, Math.min(all, MOST_LINES));
  const {dimensions, shared} = dimensionsOf(view, best);
  if (!dimensions.length) return showNothing(frame, 'The chosen trials differ in no parameter.');
  const fitting = Math.max(1, Math.floor(frame.plot.clientWidth / LEAST_DISTANCE) - 1);
  const shown = dimensions.slice(0, Math.min(MOST_DIMENSIONS, fitting));
  say(frame,
      numberText(all) + ' of ' + counted(timed.length, 'trial') +
          (best.length < all ? ', of which the fastest ' + numberText(best.length) + ' are drawn' :
                               '') +
          '; ' + shown.length + ' of ' + counted(dimensions.length, 'choice') +
          ' in which they differ.' + (shared ? ' All have ' + shared + '.' : ''));
  const fields = [...shown, view.byKey.get('time_us')];
  const axes = fields.map((field) => crossingsOf(field, best));
  const bottom = axes.some((one) => one.labels.some(([y]) => y < 0)) ? NONE_AT : 0;
  const size = Math.ceil(best.length / LINE_GROUPS);
  const traces = [];
  for (let at = 0; at < best.length; at += size)
    traces.push(linesOf(view, axes, best.slice(at, at + size), at / size));
  const most = Math.max(5, Math.floor(frame.plot.clientWidth / axes.length / 8));  // characters
  const labels = axes.flatMap((one, i) => one.labels.map(([y, text]) => ({
                                                           x: i,
                                                           y,
                                                           text: plain(shortened(text, most)),
                                                           showarrow: false,
                                                           font: {size: 11},
                                                           bgcolor: cssColour('--panel'),
                                                           borderpad: 1
                                                         })));
  const line = {color: cssColour('--line'), width: 1.5};
  const bars =
      axes.map((_, i) => lineShape([i, bottom - 0.03], [i, 1.03], {layer: 'below', line}));
  return draw(frame, traces.reverse(), {
    height: 460,
    annotations: labels,
    shapes: bars,
    legend: {...legendOf(view.byKey.get('time_us').label), traceorder: 'reversed'},
    xaxis: axis('', {
      tickvals: axes.map((_, i) => i),
      ticktext: axes.map((one) => plain(one.label)),
      ticklabeloverflow: 'allow',
      range: [-0.4, axes.length - 0.6],
      showgrid: false,
      zeroline: false
    }),
    yaxis: {visible: false, range: [bottom - 0.06, 1.06]}
  });
}
