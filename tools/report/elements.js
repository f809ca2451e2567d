// Elements of the page. Texts become text nodes, so none of them is read as HTML.

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name.startsWith('on'))
      made.addEventListener(name.slice(2), value);
    else if (value === true)
      made.setAttribute(name, '');
    else if (value !== false && value !== undefined)
      made.setAttribute(name, value);
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined)
      made.append(child instanceof Node ? child : document.createTextNode(String(child)));
  return made;
}

// options: [[value, text]].
function choiceControl(label, options, chosen, onChoose) {
  const list = element(
      'select', {onchange: () => onChoose(list.value)},
      options.map(([value, text]) => element('option', {value}, text)));
  list.value = chosen;
  return element('label', {}, label, list);
}

function fieldOptions(fields) {
  return fields.map((field) => [field.key, field.label]);
}

function table(headings, rows, numeric) {
  const cells = (tag, row) => element(
      'tr', {},
      row.map(
          (cell, i) => element(
              tag, {
                class: numeric.includes(i) ? 'number' : undefined,
                scope: tag === 'th' ? 'col' : undefined
              },
              cell)));
  return element(
      'div',
      {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'table: ' + headings[0]},
      element(
          'table', {}, element('thead', {}, cells('th', headings)),
          element('tbody', {}, rows.map((row) => cells('td', row)))));
}

function shortened(text, most) {
  return text.length <= most ? text : text.slice(0, most) + '...';
}

// The frame of a chart: {section, controls, plot, note, notice, picked, below}.
function chartFrame(id, title, note) {
  const frame = {
    id,
    title,
    controls: element('div', {class: 'controls'}),
    plot: element('div', {class: 'plot', id: 'plot-' + id, role: 'img', 'aria-label': title}),
    note: element('p', {class: 'note'}, note || ''),
    notice: element('p', {class: 'notice'}),
    picked: element('p', {class: 'note'}),
    below: element('div', {}),
  };
  frame.section = element(
      'section', {class: 'chart', id: 'chart-' + id}, element('h3', {}, title), frame.note,
      frame.controls, frame.plot, frame.notice, frame.picked, frame.below);
  return frame;
}

function say(frame, text) {
  frame.notice.textContent = text;
}

// In place of a chart that has nothing to show.
function showNothing(frame, why) {
  Plotly.purge(frame.plot);
  frame.listens = false;
  frame.plot.replaceChildren();
  frame.plot.dataset.drawn = 'nothing';
  say(frame, why);
}
