/** A guide of the documentation. */
export interface GuidePage {
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

/** A part of a guide that a search found. */
export interface Found {
  readonly page: string;
  readonly title: string;
  readonly heading: string;
  readonly excerpt: string;
}

const foundMax = 8;
const excerptCharacters = 400;

/** Reads the file of all guides: each begins with its title and the address of its source. */
export function readGuidePages(file: string): GuidePage[] {
  const starts = [...file.matchAll(/^# (.+)\n\nSource: \/docs\/([\w-]+)(?:\.md)?\n/gm)];
  return starts.map(({ index, 0: start, 1: title = '', 2: page = '' }, number) => {
    const end = starts[number + 1]?.index ?? file.length;
    return { page, title, text: `# ${title}\n${file.slice(index + start.length, end)}`.trim() };
  });
}

/** Finds the sections with most words of the query: rare ones and those of headings count more. */
export function searchGuides(pages: readonly GuidePage[], query: string): Found[] {
  const sections = pages.flatMap(sectionsOf).map((section) => ({
    section,
    heading: wordsOf(`${section.title} ${section.heading}`),
    content: wordsOf(section.text),
  }));
  const weights = wordsOf(query).map((word) => {
    const count = sections.filter(({ heading, content }) => has([...heading, ...content], word));
    return { word, weight: Math.log(1 + sections.length / Math.max(count.length, 1)) };
  });
  const rated = sections.map(({ section, heading, content }) => {
    const ratings = weights.map(({ word, weight }) => {
      return weight * ((has(heading, word) ? 2 : 0) + (has(content, word) ? 1 : 0));
    });
    return { section, rating: ratings.reduce((sum, one) => sum + one, 0) };
  });
  return rated
    .filter(({ rating }) => rating > 0)
    .sort((a, b) => b.rating - a.rating)
    .slice(0, foundMax)
    .map(({ section: { text, ...found } }) => ({
      ...found,
      excerpt: text.trim().slice(0, excerptCharacters).toWellFormed(),
    }));
}

function wordsOf(text: string): string[] {
  return [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu))];
}

/** A longer word may be another form of the same, such as its plural. */
function has(words: readonly string[], word: string): boolean {
  return words.some((one) => one === word || (word.length > 3 && one.startsWith(word)));
}

interface Section extends Omit<Found, 'excerpt'> {
  readonly text: string;
}

/** A line of code that begins like a heading is none. */
function sectionsOf({ page, title, text }: GuidePage): Section[] {
  const sections: { heading: string; text: string }[] = [];
  let isCode = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const heading = isCode ? undefined : /^#{1,6} (.+)$/.exec(line)?.[1];
    const section = sections.at(-1);
    if (heading !== undefined) sections.push({ heading, text: '' });
    else if (section !== undefined) section.text += `${line}\n`;
  }
  return sections.map((section) => ({ page, title, ...section }));
}
