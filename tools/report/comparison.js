// Winners across sweeps and devices.

function operationsOf(comparison) {
  return [...new Set(comparison.subjects.map((subject) => subject.operation))];
}

// What the matrix shows first: devices if there is a ratio between any, else problems.
function firstComparison({subjects, ratios}) {
  const isBetweenDevices = ([a, b]) => subjects[a].device !== subjects[b].device;
  const first = ratios.find(isBetweenDevices) || ratios[0];
  if (!first) return {operation: subjects.length ? subjects[0].operation : '', between: 'devices'};
  return {
    operation: subjects[first[0]].operation,
    between: isBetweenDevices(first) ? 'devices' : 'problems'
  };
}

function winnersTable(comparison) {
  const rows = comparison.subjects.map(
      (subject) =>
          [subject.operation, subject.problem, subject.device, subject.policy,
           textIn(unitFor(subject.time_us, TIME_UNITS), subject.time_us), subject.implementation,
           pairsText(subject.configuration)]);
  return table(
      ['operation', 'problem', 'device', 'policy', 'time', 'implementation', 'configuration'], rows,
      [4]);
}

function geometricMean(values) {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

// The matrix of an operation: names of its lines and columns, and for each pair the ratios.
function matrixOf(comparison, operation, between) {
  const nameOf = (subject) => (between === 'devices' ? subject.device : subject.problem);
  const names = [...new Set(
      comparison.subjects.filter((subject) => subject.operation === operation).map(nameOf))];
  const places = new Map(names.map((name, place) => [name, place]));
  const cells = names.map(() => names.map(() => []));
  for (const [a, b, ratio] of comparison.ratios) {
    const [from, to] = [comparison.subjects[a], comparison.subjects[b]];
    if (from.operation !== operation) continue;
    if ((from.device !== to.device) !== (between === 'devices')) continue;
    cells[places.get(nameOf(from))][places.get(nameOf(to))].push(ratio);
  }
  return {names, cells};
}

const MOST_NAMES = 60;

function drawPortability(frame, comparison, {operation, between}) {
  const {names, cells} = matrixOf(comparison, operation, between);
  const count = cells.flat().filter((ratios) => ratios.length).length;
  if (!count)
    return showNothing(
        frame,
        between === 'devices' ? 'No winner of one device was measured on another.' :
                                'No winner of one problem was measured for another.');
  const shown = names.slice(0, MOST_NAMES);
  const ratios = shown.map(
      (_, i) => shown.map(
          (__, j) =>
              (i === j                ? 1 :
                   cells[i][j].length ? geometricMean(cells[i][j]) :
                                        null)));
  say(frame,
      (names.length > MOST_NAMES ? 'The first ' + MOST_NAMES + ' of ' + names.length + '. ' : '') +
          'Numbers are times / the winner\'s there: 1 is as fast; geometric means if there are several. Empty pairs were not measured.');
  const ticks = {
    tickvals: shown.map((_, i) => i),
    ticktext: shown.map((name) => plain(shortened(name, 40))),
    constrain: 'domain'
  };
  return draw(
      frame, [ratioTrace(frame, ratios, {
        customdata: shown.map((_, i) => shown.map((__, j) => cells[i][j].length)),
        hovertemplate: '%{z:.3f} times, geometric mean of %{customdata}<extra></extra>'
      })],
      {
        height: Math.min(900, 190 + 34 * shown.length),
        xaxis: axis('runs here', ticks),
        yaxis: axis('winner of', {...ticks, autorange: 'reversed'})
      });
}
