// What the reader can choose. Each choice changes the state of main.js and draws what depends on
// it.

// For one value of the state, on which one chart depends.
function stateControl(chart, label, key, options) {
  return choiceControl(label, options, state[key], (value) => {
    state[key] = value;
    redrawOne(chart);
  });
}

function addScatterControls(view) {
  const control = (label, key, fields = view.fields) =>
      stateControl('scatter', label, key, fieldOptions(fields));
  frames.scatter.controls.replaceChildren(
      control('horizontal axis', 'x'), control('vertical axis', 'y'),
      control('colour and symbol', 'colour'), ...orderControls(view, control));
}

// Of the list of the best trials, if they have more than a time.
function orderControls(view, control) {
  const orders = ['time_us', ...metricsOf(view.sweep).map((_, place) => metricKey(place))];
  const fields = orders.map((key) => view.byKey.get(key)).filter((field) => field);
  return fields.length > 1 ? [control('list the best by', 'order', fields)] : [];
}

const FIGURES = [
  'registers', 'occupancy', 'shared_bytes', 'spill_bytes', 'threads', 'blocks_per_sm', 'compile_ms'
];

function figuresOf(view) {
  return view.fields.filter((field) => FIGURES.includes(field.key));
}

function addOtherControls(view) {
  const heat = (label, key) => stateControl('heat', label, key, fieldOptions(view.parameters));
  const axes = [heat('horizontal axis', 'heatX'), heat('vertical axis', 'heatY')];
  frames.heat.controls.replaceChildren(...(view.parameters.length > 1 ? axes : []));
  const figures = figuresOf(view);
  const figure = stateControl('resources', 'horizontal axis', 'figure', fieldOptions(figures));
  frames.resources.controls.replaceChildren(...(figures.length ? [figure] : []));
}

function isNumberField(view, key) {
  return view.byKey.has(key) && !view.byKey.get(key).names;
}

// A box for a number; an empty one means `none`.
function numberControl(label, id, none, onChange) {
  const input = element('input', {
    type: 'number',
    step: 'any',
    id,
    placeholder: 'any',
    onchange: () => {
      onChange(input.value === '' ? none : Number(input.value));
      redrawFiltered();
    }
  });
  return element('label', {}, label, input);
}

function rangeControls(view) {
  const fields = view.fields.filter((field) => !field.names);
  const change = (more) => Object.assign(state.range, more);
  const list = choiceControl('and with', fieldOptions(fields), state.range.key, (key) => {
    change({key});
    redrawFiltered();
  });
  return [
    list, numberControl('from', 'range-from', -Infinity, (from) => change({from})),
    numberControl('to', 'range-to', Infinity, (to) => change({to}))
  ];
}

function resetFilters() {
  chooseSweep(state.sweep);
  document.getElementById('reset').focus();  // the one that takes its place
}

function addFilters(view) {
  const choices = ['implementation', 'outcome', 'stage'].map((key) => view.byKey.get(key));
  const boxes = choices.concat(view.parameters)
                    .filter((field) => field.names.length > 1)
                    .map((field) => filterBox(view, field));
  const within = numberControl(
      'at most this much slower than the best, in %', 'within', Infinity, (percent) => {
        state.within = Math.max(0, percent);
      });
  const reset =
      element('button', {type: 'button', id: 'reset', onclick: resetFilters}, 'Reset filters');
  const controls = element('div', {class: 'controls'}, within, rangeControls(view), reset);
  const list = document.getElementById('filter-list');
  list.replaceChildren(controls, element('div', {class: 'filters'}, boxes));
}

function filterBox(view, field) {
  const out = new Set();
  state.filters.set(field.key, out);
  const box = (name, value) => {
    const input = element('input', {
      type: 'checkbox',
      checked: true,
      'data-filter': field.key,
      onchange: () => {
        if (input.checked)
          out.delete(value);
        else
          out.add(value);
        redrawFiltered();
      }
    });
    return element('label', {}, input, ' ' + (name || 'none'));
  };
  const names = field.names.map(box);
  if (field.values.includes(-1)) names.push(box('none', -1));
  return element('fieldset', {}, element('legend', {}, field.label), names);
}

function addComparisonControls() {
  const operations = operationsOf(report.comparison);
  if (!operations.length) {
    document.getElementById('winners').append('No configuration was measured.');
    return;
  }
  Object.assign(state, firstComparison(report.comparison));
  const betweens = [['devices', 'devices'], ['problems', 'problems of a device']];
  frames.portability.controls.append(
      stateControl(
          'portability', 'operation', 'operation', operations.map((name) => [name, name])),
      stateControl('portability', 'compare', 'between', betweens));
  const left = report.comparison.left_out;
  document.getElementById('winners').append(
      winnersTable(report.comparison),
      element(
          'p', {class: 'notice'}, left ? 'Left out: ' + counted(left, 'more winner') + '.' : ''));
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.getElementById('theme').textContent =
      theme === 'dark' ? 'Light colours' : 'Dark colours';
}

function addTopControls() {
  const options = report.sweeps.map((sweep, i) => [String(i), sweepTitle(sweep)]);
  const theme = element('button', {
    type: 'button',
    id: 'theme',
    onclick: () => {
      setTheme(isDark() ? 'light' : 'dark');
      redrawAll();
    }
  });
  document.getElementById('top-controls')
      .append(choiceControl('sweep', options, '0', chooseSweep), theme);
  const prefers = window.matchMedia('(prefers-color-scheme: dark)');
  setTheme(prefers.matches ? 'dark' : 'light');
  prefers.addEventListener('change', () => {
    setTheme(prefers.matches ? 'dark' : 'light');
    redrawAll();
  });
  // What fits the width is chosen when a chart is drawn.
  window.matchMedia('(max-width: 700px)').addEventListener('change', redrawAll);
}
