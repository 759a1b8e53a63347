import type { SearchProgress } from '../../api/search';

/** Something to choose by its name. */
export interface Choice {
  readonly id: string;
  readonly label: string;
  /** Shown after the label, such as a price. */
  readonly detail?: string | undefined;
}

/** Choices that have every word of the search in their label or detail; an id matches whole. */
export function matchingChoices<C extends Choice>(choices: readonly C[], search: string): C[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return choices.filter(({ id, label, detail = '' }) => {
    const text = `${label} ${detail}`.toLowerCase();
    return id === search.trim() || words.every((word) => text.includes(word));
  });
}

/** Text in place of the choices if there are none; `what` is a plural noun. */
export function noChoiceText(what: string, progress: SearchProgress): string {
  switch (progress) {
    case 'PENDING':
      return 'Searching…';
    case 'FAILED':
      return `The ${what} could not be loaded`;
    case 'DONE':
      return `No ${what} found`;
  }
}
