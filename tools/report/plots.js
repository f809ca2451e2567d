// What all charts share: colours, symbols, labels and drawing.

// Okabe and Ito's colours, which people with any colour vision tell apart; symbols and dashes tell
// the same without colour.
const COLOURS =
    ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#8c6d1f', '#7f7f7f'];
const DARK_COLOURS =
    ['#56b4e9', '#e69f00', '#2fc79a', '#cc79a7', '#f0e442', '#d9713c', '#b9a26a', '#a0a0a0'];
const SYMBOLS =
    ['circle', 'square', 'diamond', 'cross', 'x', 'triangle-up', 'triangle-down', 'star'];
const DASHES = ['solid', 'dash', 'dot', 'dashdot', 'longdash', 'longdashdot'];
const MOST_GROUPS = COLOURS.length;

function isDark() {
  return document.documentElement.dataset.theme === 'dark';
}

function colour(i) {
  return (isDark() ? DARK_COLOURS : COLOURS)[i % COLOURS.length];
}

// Dark means slow on a light page and fast on a dark one, so what is fast stands out.
function fastScale() {
  return {colorscale: 'Cividis', reversescale: isDark()};
}

// Plotly reads some HTML in labels. The result is read as the text itself.
function plain(text) {
  return String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

function cssColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function axis(title, more) {
  return Object.assign(
      {
        title: {text: plain(title)},
        gridcolor: cssColour('--grid'),
        linecolor: cssColour('--line'),
        zerolinecolor: cssColour('--line'),
        automargin: true,
        exponentformat: 'none',
        separatethousands: true,
      },
      more);
}

function logAxis(title, ratio) {
  return axis(title, {type: 'log', dtick: ratio > 1000 ? 1 : 'D2', tickformat: ',~f'});
}

// The axis of these numbers: logarithmic if `scale` is 'log' and they differ by more than a factor
// of ten. Integers have no ticks between them.
function numberAxis(title, values, scale, more = {}) {
  let [least, most] = more.rangemode === 'tozero' ? [0, 0] : [Infinity, -Infinity];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  if (scale === 'log' && least > 0 && most > 10 * least) return logAxis(title, most / least);
  const isCount = most - least < 6 && values.every(Number.isInteger);
  return axis(title, {...(isCount ? {dtick: 1} : {}), ...more});
}

// The axis of a field of which these rows are shown: its names as ticks if it is a choice.
function fieldAxis(field, rows) {
  if (!field.names)
    return numberAxis(field.label, Array.from(rows, (row) => field.values[row]), field.scale);
  const every = Math.ceil(field.names.length / 50);
  const ticks = field.names.map((_, i) => i).filter((i) => i % every === 0);
  return axis(field.label, {
    tickvals: ticks,
    ticktext: ticks.map((i) => plain(shortened(field.names[i], 40))),
    range: [-0.6, field.names.length - 0.4],
    zeroline: false
  });
}

function layoutOf(more) {
  return Object.assign(
      {
        paper_bgcolor: 'rgba(0,0,0,0)',
        plot_bgcolor: 'rgba(0,0,0,0)',
        font: {color: cssColour('--text'), family: 'system-ui, sans-serif', size: 13},
        separators: '. ',
        margin: {l: 20, r: 15, t: 12, b: 20},
        height: 380,
        hovermode: 'closest',
        hoverlabel: {align: 'left', namelength: -1},
        legend: legendOf(''),
      },
      more);
}

// Above the chart, however many lines it has.
function legendOf(title) {
  return {
    title: {text: plain(title), side: 'top', font: {size: 13}},
    itemclick: false,
    itemdoubleclick: false,
    orientation: 'h',
    x: 0,
    y: 1.02,
    yanchor: 'bottom'
  };
}

// Keyboards do not reach Plotly's own buttons, so there are none: drag to zoom, double click to
// reset.
function draw(frame, traces, layout) {
  frame.plot.style.minHeight = '';
  return Plotly
      .react(frame.plot, traces, layoutOf(layout), {displayModeBar: false, responsive: true})
      .then(() => {
        frame.plot.dataset.drawn = 'yes';
        if (!frame.listens) listen(frame);
      });
}

// A line of a chart's layout, from one point to another.
function lineShape([x0, y0], [x1, y1], more) {
  return {type: 'line', x0, y0, x1, y1, ...more};
}

const LEAST_CELL = 46;  // pixels that a cell with a text is wide
const MOST_ROWS = 40;   // of cells with texts

// A heat map of ratios, of which 1 is the best; null: not measured. Cells with texts need no scale.
// `more` says what a cell shows under the pointer.
function ratioTrace(frame, ratios, more) {
  const room = frame.plot.clientWidth - 100;  // for labels
  const hasTexts = ratios.length <= MOST_ROWS && ratios[0].length * LEAST_CELL <= room;
  return {
    type: 'heatmap',
    z: ratios,
    ...fastScale(),
    xgap: 1,
    ygap: 1,
    text: ratios.map((line) => line.map((ratio) => (ratio === null ? '' : ratio.toFixed(2)))),
    texttemplate: hasTexts ? '%{text}' : undefined,
    showscale: !hasTexts,
    hoverongaps: false,
    colorbar: {title: {text: 'time / best', side: 'right'}, thickness: 12},
    ...more
  };
}

// A trial under the pointer is named in full below its chart.
function listen(frame) {
  frame.listens = true;
  frame.plot.on('plotly_hover', ({points}) => {
    const number = points[0].customdata;
    if (frame.view && number > 0) frame.picked.textContent = trialText(frame.view, number - 1);
  });
}

// Whether there is WebGL with a GPU. Without one it is slower than fewer points as SVG.
let webgl;
function hasWebgl() {
  if (webgl !== undefined) return webgl;
  const context = document.createElement('canvas').getContext('webgl');
  const names = context && context.getExtension('WEBGL_debug_renderer_info');
  const renderer = names ? context.getParameter(names.UNMASKED_RENDERER_WEBGL) : '';
  webgl = Boolean(context) && !/swiftshader|llvmpipe|software|basic render/i.test(renderer);
  if (context && context.getExtension('WEBGL_lose_context'))
    context.getExtension('WEBGL_lose_context').loseContext();
  return webgl;
}

// How many points a chart can draw at once, and with what.
function pointKind() {
  return hasWebgl() ? {type: 'scattergl', most: 10000} : {type: 'scatter', most: 3000};
}

// Rows by the value of a choice: [{name, rows}], the most frequent first, at most MOST_GROUPS.
function groupsOf(field, rows) {
  const lists = new Map();
  for (const row of rows) {
    const value = field.values[row];
    if (!lists.has(value)) lists.set(value, []);
    lists.get(value).push(row);
  }
  const sorted = [...lists].sort(
      (a, b) => (lists.size > MOST_GROUPS ? b[1].length - a[1].length : a[0] - b[0]));
  const groups = sorted.slice(0, MOST_GROUPS - 1)
                     .map(([value, list]) => ({name: field.names[value] || 'none', rows: list}));
  const others = sorted.slice(MOST_GROUPS - 1);
  if (others.length === 1)
    groups.push({name: field.names[others[0][0]] || 'none', rows: others[0][1]});
  else if (others.length > 1)
    groups.push({name: others.length + ' others', rows: others.flatMap(([, list]) => list)});
  return groups;
}

// Where a row lies on an axis. Rows of one choice are spread a little, always in the same way.
function positions(field, rows) {
  if (!field.names) return Array.from(rows, (row) => field.values[row]);
  return Array.from(rows, (row) => field.values[row] + ((row * 0.618034) % 1 - 0.5) * 0.5);
}

function trialText(view, row) {
  return 'Trial ' + titleTexts(view, row).join(', ') + ' ' + configurationText(view, row);
}

// Of a trial: "7: 12.3 µs", and its implementation.
function titleTexts(view, row) {
  const time = timeText(view, view.times[row]) || valueText(view.byKey.get('outcome'), row);
  return [row + 1 + ': ' + time, valueText(view.byKey.get('implementation'), row)];
}

function hoverText(view, row) {
  const lines = titleTexts(view, row);
  const words = configurationText(view, row).split(' ');
  for (let i = 0; i < words.length; i += 5) lines.push(words.slice(i, i + 5).join(' '));
  return 'trial ' + lines.map(plain).join('<br>');
}
