// The document of the report, as columns that charts read.

// One column of trials for axes, colours and filters: a number for each trial, NaN if it has none.
// A field with `names` is a choice: its numbers are indices into them, and -1 means none.
function numberField(key, label, values, scale) {
  return {key, label, scale, values: Float64Array.from(values, (v) => (v === null ? NaN : v))};
}

function choiceField(key, label, names, indices) {
  return {key, label, names: names.map(String), values: Int32Array.from(indices)};
}

const NUMBER_COLUMNS = [
  ['ended_s', 'seconds since the sweep began', 'linear'],
  ['registers', 'registers per thread', 'linear'],
  ['occupancy', 'occupancy', 'linear'],
  ['shared_bytes', 'shared bytes per block', 'linear'],
  ['spill_bytes', 'spilled bytes per thread', 'linear'],
  ['threads', 'threads per block', 'linear'],
  ['blocks_per_sm', 'blocks per SM', 'linear'],
  ['compile_ms', 'compile time in ms', 'log'],
  ['power_w', 'power in W', 'linear'],
  ['sm_mhz', 'SM clock in MHz', 'linear'],
];
const CHOICE_COLUMNS = [
  ['implementation', 'implementation'],
  ['outcome', 'outcome'],
  ['stage', 'stage'],
  ['rule', 'rule that pruned it'],
];

// The metrics of the operation's manifest, if it was found.
function metricsOf(sweep) {
  return sweep.metrics || [];
}

function metricKey(place) {
  return 'metric ' + place;
}

function metricLabel(metric) {
  return metric.name + (metric.unit ? ' in ' + metric.unit : '');
}

// Indices that are all 0 were left out of the document.
function expandIndices(trials) {
  for (const column of [...Object.values(trials), ...trials.parameters])
    if ((column.names || column.values) && !column.indices)
      column.indices = new Int32Array(trials.count);
}

// Times and rates in the sweep's units, on axes as in tables.
function timeFields(sweep) {
  const {time, rate} = unitsOf(sweep);
  const times = sweep.trials.time_us;
  const warm = sweep.trials.warm_us;
  const mapped = (values, change) => values.map((us) => (us === null ? null : change(us)));
  const field = (key, label, values, change) =>
      numberField(key, label, mapped(values, change), 'log');
  const fields = [];
  if (times) fields.push(field('time_us', 'time in ' + time.name, times, (us) => us / time.size));
  if (warm)
    fields.push(field('warm_us', 'warm time in ' + time.name, warm, (us) => us / time.size));
  if (times && sweep.gflop > 0)
    fields.push(field('rate', rate.name, times, (us) => sweep.gflop / us * 1e6 / rate.size));
  if (times && sweep.gigabyte > 0)
    fields.push(field('bandwidth', 'GB/s', times, (us) => sweep.gigabyte / us * 1e6));
  return fields;
}

function fieldsOf(sweep) {
  const trials = sweep.trials;
  expandIndices(trials);
  const fields = [numberField(
      'number', 'trial', Array.from({length: trials.count}, (_, i) => i + 1), 'linear')];
  fields.push(...timeFields(sweep));
  for (const [key, label, scale] of NUMBER_COLUMNS)
    if (trials[key]) fields.push(numberField(key, label, trials[key], scale));
  for (const [place, metric] of metricsOf(sweep).entries())
    fields.push(numberField(metricKey(place), metricLabel(metric), metric.trials, 'linear'));
  for (const [key, label] of CHOICE_COLUMNS)
    fields.push(choiceField(key, label, trials[key].names, trials[key].indices));
  for (const parameter of trials.parameters) fields.push(parameterField(parameter));
  return fields;
}

const MOST_VALUES = 200;  // of a parameter whose values are choices
const MOST_PARAMETERS = 100;

function parameterField({name, values, indices}) {
  const key = 'parameter ' + name;
  const isLarge = values.length > MOST_VALUES && values.every((value) => typeof value === 'number');
  if (!isLarge) return choiceField(key, name, values, indices);
  return numberField(key, name, Array.from(indices, (i) => (i < 0 ? null : values[i])), 'linear');
}

function isParameter(field) {
  return field.key.startsWith('parameter ');
}

// Whether a parameter can be shown value by value.
function isEnumerated(field) {
  return isParameter(field) && field.names && field.names.length > 1 &&
      field.names.length <= MOST_VALUES;
}

// A sweep with its columns by key, and the rows that charts begin with. `times` are in units.time.
function viewOf(sweep) {
  const fields = fieldsOf(sweep);
  const byKey = new Map(fields.map((field) => [field.key, field]));
  const count = sweep.trials.count;
  const times =
      byKey.has('time_us') ? byKey.get('time_us').values : new Float64Array(count).fill(NaN);
  const stage = byKey.get('stage');
  const isScreened = (row) => stage.names[stage.values[row]] === 'screen';
  const parameters =
      byImportance(fields.filter(isEnumerated), sweep.importance).slice(0, MOST_PARAMETERS);
  return {sweep, fields, byKey, count, times, isScreened, parameters, units: unitsOf(sweep)};
}

// The most important first; those of unknown importance last, in their order.
function byImportance(parameters, importance) {
  const places = new Map(importance.map((item, place) => [item.name, place]));
  const placeOf = (field) =>
      (places.has(field.label) ? places.get(field.label) : importance.length);
  return parameters.slice().sort((a, b) => placeOf(a) - placeOf(b));
}

// The rows that were measured in the screening, which all have times of one kind.
function timedRows(view, rows) {
  return rows.filter((row) => view.times[row] > 0 && view.isScreened(row));
}

// All timed rows of the screening, the fastest first; sorted once.
function sortedRows(view) {
  if (!view.sorted)
    view.sorted = timedRows(view, allRows(view)).sort((a, b) => view.times[a] - view.times[b]);
  return view.sorted;
}

function allRows(view) {
  return Int32Array.from({length: view.count}, (_, row) => row);
}

function marksOf(view, rows) {
  const marks = new Uint8Array(view.count);
  for (const row of rows) marks[row] = 1;
  return marks;
}

// Those of the rows that were timed in the screening, the fastest first.
function fastestFirst(view, rows) {
  const marks = marksOf(view, rows);
  return sortedRows(view).filter((row) => marks[row]);
}

// Those of the rows that were timed in the screening and have a value of the metric, the best first.
function bestFirst(view, rows, place) {
  const {values} = view.byKey.get(metricKey(place));
  const sign = metricsOf(view.sweep)[place].better === 'lower' ? 1 : -1;
  return timedRows(view, rows)
      .filter((row) => !Number.isNaN(values[row]))
      .sort((a, b) => sign * (values[a] - values[b]));
}

// At most `most` of the rows. The fastest half of them are never left out; of the others, every nth
// is kept.
function thinned(view, rows, most) {
  if (rows.length <= most) return rows;
  const best = fastestFirst(view, rows).subarray(0, most >> 1);
  const marks = marksOf(view, best);
  const rest = rows.filter((row) => !marks[row]);
  const step = rest.length / (most - best.length);
  const kept = new Int32Array(most);
  kept.set(best);
  for (let i = best.length; i < most; ++i) kept[i] = rest[Math.floor((i - best.length) * step)];
  return kept.sort();
}

function valueText(field, row) {
  const value = field.values[row];
  if (field.names) return value < 0 ? '' : field.names[value];
  return Number.isNaN(value) ? '' : numberText(value);
}

function numberText(value) {
  if (!Number.isFinite(value)) return '';
  return Math.abs(value) >= 10000 ? Math.round(value).toLocaleString('en').replaceAll(',', ' ') :
                                    String(+value.toPrecision(4));
}

const TIME_UNITS =
    [{name: '\u00b5s', size: 1}, {name: 'ms', size: 1e3}, {name: 's', size: 1e6}];
const RATE_UNITS = [{name: 'GFLOP/s', size: 1}, {name: 'TFLOP/s', size: 1e3}];

// The largest unit in which the value is at least 1.
function unitFor(value, units) {
  return units.filter((unit) => value >= unit.size).pop() || units[0];
}

// The units of a sweep's times and rates, those of its fastest trial.
function unitsOf(sweep) {
  const times = (sweep.trials.time_us || []).filter((us) => us > 0);
  const least = times.reduce((a, b) => Math.min(a, b), Infinity);
  return {
    time: unitFor(Number.isFinite(least) ? least : 0, TIME_UNITS),
    rate: unitFor(sweep.gflop / least * 1e6, RATE_UNITS)
  };
}

function textIn(unit, value) {
  return value > 0 ? numberText(value / unit.size) + ' ' + unit.name : '';
}

// Of one of a view's times.
function timeText(view, time) {
  return textIn({...view.units.time, size: 1}, time);
}

// "1 trial", "2 trials".
function counted(count, one) {
  return numberText(count) + ' ' + one + (count === 1 ? '' : 's');
}

function percentText(share) {
  return numberText(+(100 * share).toPrecision(3)) + ' %';
}

// "A=1 B=2", of those of the fields that have a value; by default of every parameter.
function configurationText(view, row, fields = view.fields.filter(isParameter)) {
  return pairsText(fields.map((field) => [field.label, valueText(field, row)])
                       .filter(([, value]) => value !== ''));
}

function pairsText(pairs) {
  return pairs.map(([name, value]) => name + '=' + value).join(' ');
}
