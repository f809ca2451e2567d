// The page: its controls, what is chosen, and which charts are drawn again.

const report = JSON.parse(document.getElementById('data').textContent);
const views = report.sweeps.map(() => null);
const state = {
  sweep: 0,
  filters: new Map(),  // field → the set of values that are left out
  within: Infinity,    // % above the best
  range: {key: 'number', from: -Infinity, to: Infinity},
  x: 'number',
  y: 'time_us',
  colour: '',
  order: 'time_us',  // of the list of the best trials
  figure: 'registers',
  heatX: '',
  heatY: '',
  operation: '',
  between: 'devices'
};
const frames = {};

function viewAt(place) {
  if (!views[place]) views[place] = viewOf(report.sweeps[place]);
  return views[place];
}

function currentView() {
  return viewAt(state.sweep);
}

// What every filter asks of a row: [row => boolean].
function filterTests(view) {
  const tests = [];
  for (const [key, out] of state.filters) {
    const values = view.byKey.get(key).values;
    if (out.size) tests.push((row) => !out.has(values[row]));
  }
  if (state.within < Infinity) {
    const most = view.times[sortedRows(view)[0]] * (1 + state.within / 100);
    tests.push((row) => view.times[row] <= most);
  }
  const {key, from, to} = state.range;
  if (from > -Infinity || to < Infinity) {
    const values = view.byKey.get(key).values;
    tests.push((row) => values[row] >= from && values[row] <= to);
  }
  return tests;
}

// Rows that all filters let through.
function chosenRows(view) {
  const tests = filterTests(view);
  return allRows(view).filter((row) => tests.every((test) => test(row)));
}

// The charts in the order of the page: [name, draw(frame, view, rows), whether filters change it].
const CHARTS = [
  ['trials', (frame, view) => drawConvergence(frame, view, 'number'), false],
  ['seconds', (frame, view) => {
    say(frame, estimateText(view));
    return drawConvergence(frame, view, 'ended_s');
  }, false],
  ['scatter', (frame, view, rows) => {
    showBest(frame, view, rows, state.order);
    return drawScatter(frame, view, rows, state);
  }, true],
  ['importance', drawImportance, false],
  ['values', drawValues, true],
  ['heat', (...all) => drawHeatMap(...all, state.heatX, state.heatY), true],
  ['distribution', drawDistribution, true],
  ['parallel', drawParallel, true],
  ['resources', (...all) => drawResources(...all, state.figure), true],
  ['roofline', (frame, view) => drawRoofline(frame, view, report.sweeps), false],
  ['cuts', drawCuts, false],
  ['portability', (frame) => drawPortability(frame, report.comparison, state), false],
];

const nextFrame = () => new Promise((resolve) => setTimeout(resolve, 0));
const pending = new Set();  // names of charts to be drawn
let chosen;                 // {view, rows} that they show
let drawing = null;         // the promise of drawPending(), while it runs

// Draws the charts that `wanted` accepts with what is chosen now.
function redraw(wanted) {
  const view = currentView();
  chosen = {view, rows: chosenRows(view)};
  const text = numberText(chosen.rows.length) + ' of ' + counted(view.count, 'trial') + ' chosen';
  document.getElementById('count').textContent = text;
  for (const chart of CHARTS)
    if (wanted(chart)) pending.add(chart[0]);
  document.body.dataset.state = 'drawing';
  if (!drawing) drawing = drawPending();
  return drawing;
}

// One chart after another, so that the page stays responsive.
async function drawPending() {
  const begin = performance.now();
  while (pending.size) {
    await nextFrame();
    const chart = CHARTS.find(([name]) => pending.has(name));
    pending.delete(chart[0]);
    await drawSafely(chart, chosen.view, chosen.rows);
  }
  drawing = null;
  document.body.dataset.milliseconds = Math.round(performance.now() - begin);
  document.body.dataset.state = 'ready';
  document.getElementById('status').textContent = document.getElementById('count').textContent;
}

async function drawSafely([name, drawChart], view, rows) {
  try {
    await drawChart(frames[name], view, rows);
  } catch (error) {
    console.error(name, error);
    say(frames[name], 'This chart cannot be drawn: ' + error.message);
  }
}

const redrawAll = () => redraw(() => true);
const redrawFiltered = () => redraw((chart) => chart[2]);
const redrawOne = (name) => redraw((chart) => chart[0] === name);

function addFrames() {
  const add = (id, title, note) => (frames[id] = chartFrame(id, title, note)).section;
  const pair = (...sections) => element('div', {class: 'pair'}, sections);
  const filters = element(
      'details', {class: 'filter-box facts', id: 'filters'}, element('summary', {}, 'Filters: '),
      element('div', {id: 'filter-list'}));
  return [
    element('h2', {id: 'sweep'}, 'One sweep'),
    element(
        'p', {class: 'note'},
        'Charts show the times of the screening, in which every configuration was measured alike. The final measured the fastest again, with more care and on other inputs, so the winner may take longer there.'),
    element('div', {id: 'about-sweep'}),
    pair(
        add('trials', 'Convergence by trials'), add('seconds', 'Convergence by seconds')),
    filters,
    add('scatter', 'All trials',
        'Drag to zoom, double-click to reset. A choice is spread a little around its tick.'),
    pair(
        add('importance', 'Importance of parameters',
            'A forest predicts the times. A parameter has the share of the error that comes from shuffling it.'),
        add('values', 'Best time for each value', 'Over all values of the other parameters.')),
    add('heat', 'Two parameters', 'The best time over all values of the other parameters.'),
    pair(
        add('distribution', 'Distribution of times',
            'Lines: 1, 5 and 10 % above the best of the chosen trials.'),
        add('resources', 'Resources and time')),
    add('parallel', 'The best 5 %',
        'A line is a trial. The most important parameters are first.'),
    add('roofline', 'Roofline'),
    add('cuts', 'What was ruled out',
        'Combinations of values that the rules of the space and the limits of the device removed.'),
    element('h2', {id: 'all'}, 'All sweeps'),
    element(
        'section', {class: 'chart'}, element('h3', {}, 'Winners'), element('div', {id: 'winners'})),
    add('portability', 'Portability',
        'How much slower a winner is elsewhere than the winner there.'),
  ];
}

function chooseSweep(place) {
  const view = viewAt(Number(place));
  Object.assign(state, {
    sweep: Number(place),
    filters: new Map(),
    within: Infinity,
    range: {...state.range, from: -Infinity, to: Infinity}
  });
  if (!view.byKey.has(state.x)) state.x = 'number';
  if (!view.byKey.has(state.y)) state.y = view.byKey.has('time_us') ? 'time_us' : 'outcome';
  if (!view.byKey.has(state.colour))
    state.colour = view.parameters.length ? view.parameters[0].key : 'outcome';
  if (!view.byKey.has(state.order)) state.order = 'time_us';
  if (!isNumberField(view, state.range.key)) state.range.key = 'number';
  state.figure =
      (figuresOf(view).find((field) => field.key === state.figure) || figuresOf(view)[0] || {}).key;
  const [first, second] = view.parameters;
  state.heatX = first ? first.key : '';
  state.heatY = second ? second.key : '';
  document.getElementById('about-sweep').replaceChildren(factsOf(view));
  addScatterControls(view);
  addOtherControls(view);
  addFilters(view);
  return redrawAll();
}

function addContents() {
  const links =
      Object.values(frames).map((frame) => element('a', {href: '#chart-' + frame.id}, frame.title));
  document.getElementById('contents').append(...links);
}

function start() {
  if (typeof Plotly === 'undefined') {
    document.getElementById('about').textContent =
        'The chart library could not be loaded from cdn.plot.ly. Connect to the network, or write the report without --link.';
    document.body.dataset.state = 'failed';
    return;
  }
  document.getElementById('about').textContent = 'From ' + report.source + ', by tilewright ' +
      report.tool + '. ' + counted(report.sweeps.length, 'sweep') + '.' +
      (report.left_out ?
           ' Left out: ' + counted(report.left_out, 'more sweep') +
               ', because they are too many for one page; name an operation or a sweep.' :
           '');
  addTopControls();
  document.getElementById('main').append(...addFrames());
  document.querySelector('#filters summary').append(element('span', {id: 'count'}));
  addContents();
  addComparisonControls();
  chooseSweep(0).then(() => {
    document.body.dataset.opened = Math.round(performance.now());
  });
}

start();
