// The page: its controls, what is chosen, and which charts are drawn again.

const report = readDocument();
const views = report.sweeps.map(() => null);
const state = {sweep: 0, filters: new Map(), within: Infinity, x: 'number', y: 'time_us', colour: '', figure: 'registers', heatX: '', heatY: '',
               operation: '', between: 'devices'};
const frames = {};

function viewAt(place) {
  if (!views[place]) views[place] = viewOf(report.sweeps[place]);
  return views[place];
}

function currentView() {
  return viewAt(state.sweep);
}

// Rows that all filters let through. A filter is the set of values that are left out.
function chosenRows(view) {
  const filters = [...state.filters].filter(([, out]) => out.size).map(([key, out]) => [view.byKey.get(key).values, out]);
  const most = state.within < Infinity ? view.times[sortedRows(view)[0]] * (1 + state.within / 100) : Infinity;
  return allRows(view).filter((row) => filters.every(([values, out]) => !out.has(values[row])) &&
                              (most === Infinity || view.times[row] <= most));
}

// The charts in the order of the page: [frame, draw(view, rows), whether filters change it].
const CHARTS = [
  ['trials', (v) => drawConvergence(frames.trials, v, 'number'), false],
  ['seconds', (v) => drawConvergence(frames.seconds, v, 'ended_s'), false],
  ['scatter', (v, rows) => { showFastest(frames.scatter, v, rows); return drawScatter(frames.scatter, v, rows, state); }, true],
  ['importance', (v) => drawImportance(frames.importance, v), false],
  ['values', (v, rows) => drawValues(frames.values, v, rows), true],
  ['heat', (v, rows) => drawHeatMap(frames.heat, v, rows, state.heatX, state.heatY), true],
  ['distribution', (v, rows) => drawDistribution(frames.distribution, v, rows), true],
  ['parallel', (v, rows) => drawParallel(frames.parallel, v, rows), true],
  ['resources', (v, rows) => drawResources(frames.resources, v, rows, state.figure), true],
  ['roofline', (v) => drawRoofline(frames.roofline, v, report.sweeps), false],
  ['cuts', (v) => drawCuts(frames.cuts, v), false],
  ['portability', () => drawPortability(frames.portability, report.comparison, state.operation, state.between), false],
];

const nextFrame = () => new Promise((resolve) => setTimeout(resolve, 0));
let turn = 0;  // of the newest redraw; older ones give up

// Draws the charts that `wanted` accepts one after another, so that the page stays responsive.
async function redraw(wanted) {
  const own = ++turn;
  const begin = performance.now();
  document.body.dataset.state = 'drawing';
  const view = currentView();
  const rows = chosenRows(view);
  document.getElementById('count').textContent = numberText(rows.length) + ' of ' + numberText(view.count) + ' trials chosen';
  for (const chart of CHARTS) {
    if (!wanted(chart)) continue;
    await nextFrame();
    if (own !== turn) return;
    await drawSafely(chart, view, rows);
  }
  document.body.dataset.milliseconds = Math.round(performance.now() - begin);
  document.body.dataset.state = 'ready';
  document.getElementById('status').textContent = document.getElementById('count').textContent;
}

async function drawSafely([name, drawChart], view, rows) {
  try {
    await drawChart(view, rows);
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
  const filters = element('details', {class: 'filter-box facts', id: 'filters'}, element('summary', {}, 'Filters: '), element('div', {id: 'filter-list'}));
  return [
    element('h2', {id: 'sweep'}, 'One sweep'),
    element('p', {class: 'note'}, 'Charts show the times of the screening, in which every configuration was measured alike. The final measured the fastest again, with more care and on other inputs, so the winner may take longer there.'),
    element('div', {id: 'about-sweep'}),
    pair(add('trials', 'Convergence by trials'),
         add('seconds', 'Convergence by seconds', 'Estimated: nobody recorded when a trial ended. The duration of the sweep is divided by what compiles and timed calls took.')),
    filters,
    add('scatter', 'All trials', 'Drag to zoom, double-click to reset. A choice is spread a little around its tick.'),
    pair(add('importance', 'Importance of parameters', 'A forest predicts the times; a parameter matters as much as the error grows when it is shuffled.'),
         add('values', 'Best time for each value', 'Over all values of the other parameters.')),
    add('heat', 'Two parameters', 'The best time over all values of the other parameters.'),
    pair(add('distribution', 'Distribution of times', 'Lines: 1, 5 and 10 % above the best of the chosen trials.'),
         add('resources', 'Resources and time')),
    add('parallel', 'The best 5 %', 'A line is a trial. The parameters are in the order of their importance.'),
    add('roofline', 'Roofline'),
    add('cuts', 'What was ruled out', 'Combinations of values that the rules of the space removed, then trials without a time.'),
    element('h2', {id: 'all'}, 'All sweeps'), element('section', {class: 'chart'}, element('h3', {}, 'Winners'), element('div', {id: 'winners'})),
    add('portability', 'Portability', 'How much slower a winner is elsewhere than the winner there.'),
  ];
}

function addScatterControls(view) {
  const control = (label, key) => choiceControl(label, fieldOptions(view.fields), state[key], (value) => {
    state[key] = value;
    redrawOne('scatter');
  });
  frames.scatter.controls.replaceChildren(control('horizontal axis', 'x'), control('vertical axis', 'y'), control('colour and symbol', 'colour'));
}

function addOtherControls(view) {
  const heat = (label, key) => choiceControl(label, fieldOptions(view.parameters), state[key], (value) => {
    state[key] = value;
    redrawOne('heat');
  });
  frames.heat.controls.replaceChildren(...(view.parameters.length > 1 ? [heat('horizontal axis', 'heatX'), heat('vertical axis', 'heatY')] : []));
  const figures = view.fields.filter((field) => ['registers', 'occupancy', 'shared_bytes', 'spill_bytes', 'threads', 'blocks_per_sm', 'compile_ms'].includes(field.key));
  frames.resources.controls.replaceChildren(...(figures.length ? [choiceControl('horizontal axis', fieldOptions(figures), state.figure, (value) => {
    state.figure = value;
    redrawOne('resources');
  })] : []));
}

function addFilters(view) {
  const choices = [...['implementation', 'outcome', 'stage'].map((key) => view.byKey.get(key)), ...view.parameters];
  const boxes = choices.filter((field) => field.names.length > 1).map((field) => filterBox(view, field));
  const within = element('input', {type: 'number', min: '0', step: 'any', id: 'within', placeholder: 'any', onchange: () => {
    state.within = within.value === '' ? Infinity : Math.max(0, Number(within.value));
    redrawFiltered();
  }});
  const reset = element('button', {type: 'button', id: 'reset', onclick: () => chooseSweep(state.sweep)}, 'Reset filters');
  document.getElementById('filter-list').replaceChildren(
    element('div', {class: 'controls'}, element('label', {}, 'at most this much slower than the best, in %', within), reset),
    element('div', {class: 'filters'}, boxes));
}

function filterBox(view, field) {
  const out = new Set();
  state.filters.set(field.key, out);
  const box = (name, value) => {
    const input = element('input', {type: 'checkbox', checked: true, 'data-filter': field.key, onchange: () => {
      if (input.checked) out.delete(value);
      else out.add(value);
      redrawFiltered();
    }});
    return element('label', {}, input, ' ' + (name || 'none'));
  };
  const names = field.names.map(box);
  if (field.values.includes(-1)) names.push(box('none', -1));
  return element('fieldset', {}, element('legend', {}, field.label), names);
}

function chooseSweep(place) {
  const view = viewAt(Number(place));
  Object.assign(state, {sweep: Number(place), filters: new Map(), within: Infinity});
  if (!view.byKey.has(state.x)) state.x = 'number';
  if (!view.byKey.has(state.y)) state.y = view.byKey.has('time_us') ? 'time_us' : 'outcome';
  if (!view.byKey.has(state.colour)) state.colour = view.parameters.length ? view.parameters[0].key : 'outcome';
  if (!view.byKey.has(state.figure)) state.figure = 'registers';
  const [first, second] = view.parameters;
  state.heatX = first ? first.key : '';
  state.heatY = second ? second.key : '';
  document.getElementById('about-sweep').replaceChildren(factsOf(view.sweep));
  addScatterControls(view);
  addOtherControls(view);
  addFilters(view);
  return redrawAll();
}

function addComparisonControls() {
  const operations = operationsOf(report.comparison);
  Object.assign(state, firstComparison(report.comparison));
  const control = (label, key, options) => choiceControl(label, options, state[key], (value) => {
    state[key] = value;
    redrawOne('portability');
  });
  frames.portability.controls.append(control('operation', 'operation', operations.map((name) => [name, name])),
                                     control('compare', 'between', [['devices', 'devices'], ['problems', 'problems of a device']]));
  const left = report.comparison.left_out;
  document.getElementById('winners').append(
    winnersTable(report.comparison), element('p', {class: 'notice'}, left ? left + ' more winners are left out.' : ''));
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.getElementById('theme').textContent = theme === 'dark' ? 'Light colours' : 'Dark colours';
}

function addTopControls() {
  const options = report.sweeps.map((sweep, i) => [String(i), sweepTitle(sweep)]);
  const theme = element('button', {type: 'button', id: 'theme', onclick: () => {
    setTheme(isDark() ? 'light' : 'dark');
    redrawAll();
  }});
  document.getElementById('top-controls').append(choiceControl('sweep', options, '0', chooseSweep), theme);
  const prefers = window.matchMedia('(prefers-color-scheme: dark)');
  setTheme(prefers.matches ? 'dark' : 'light');
  prefers.addEventListener('change', () => {
    setTheme(prefers.matches ? 'dark' : 'light');
    redrawAll();
  });
}

function addContents() {
  const links = Object.values(frames).map((frame) => element('a', {href: '#chart-' + frame.id}, frame.title));
  document.getElementById('contents').append(...links);
}

function start() {
  if (typeof Plotly === 'undefined') {
    document.getElementById('about').textContent =
        'The chart library could not be loaded from cdn.plot.ly. Connect to the network, or write the report without --link.';
    document.body.dataset.state = 'failed';
    return;
  }
  document.getElementById('about').textContent =
      'From ' + report.source + ', by tilewright ' + report.tool + '. ' + report.sweeps.length + (report.sweeps.length === 1 ? ' sweep.' : ' sweeps.') +
      (report.left_out ? ' ' + report.left_out + ' more are left out, because all their trials are too many for one page; name an operation or a sweep.' : '');
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
