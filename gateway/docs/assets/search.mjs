// Search over the sections of all pages. Without this script the form stays hidden.
const form = document.getElementById('search');
const input = form.querySelector('input');
const results = form.querySelector('.results');
const shownMax = 12;

let loading;
let sections = [];
const load = () =>
  (loading ??= fetch('/docs/search.json')
    .then((answer) => answer.json())
    .then((read) => (sections = read.sections)));

function rating({ title, heading, text }, words) {
  const [inTitle, inText] = [`${title} ${heading}`.toLowerCase(), text.toLowerCase()];
  let sum = 0;
  for (const word of words) {
    if (inTitle.includes(word)) sum += 10;
    else if (inText.includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

function found(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, rated: rating(section, words) }))
    .filter(({ rated }) => rated > 0)
    .sort((a, b) => b.rated - a.rated)
    .slice(0, shownMax)
    .map(({ section }) => section);
}

function item({ path, title, heading, text }) {
  const link = document.createElement('a');
  link.href = path;
  link.textContent = heading === title ? title : `${title}: ${heading}`;
  const excerpt = document.createElement('small');
  excerpt.textContent = text.length > 110 ? `${text.slice(0, 110)}…` : text;
  link.append(excerpt);
  const row = document.createElement('li');
  row.append(link);
  return row;
}

async function show() {
  await load();
  const query = input.value.trim();
  results.hidden = query === '';
  const rows = found(query).map(item);
  const list = document.createElement('ul');
  list.append(...rows);
  const status = document.createElement('p');
  status.setAttribute('role', 'status');
  status.textContent = rows.length === 0 ? 'Nothing found' : '';
  results.replaceChildren(...(rows.length === 0 ? [status] : [list]));
}

form.hidden = false;
input.addEventListener('focus', load, { once: true });
input.addEventListener('input', show);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  results.querySelector('a')?.click();
});
form.addEventListener('click', (event) => {
  if (event.target.closest?.('a')) results.hidden = true;
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') results.hidden = true;
});
document.addEventListener('click', (event) => {
  if (!form.contains(event.target)) results.hidden = true;
});
