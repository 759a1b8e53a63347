import type { FieldProblems } from '../api/problem';

/** What was typed into a form. */
export class FormValues {
  constructor(private readonly data: FormData) {}

  text(name: string): string {
    const value = this.data.get(name);
    return typeof value === 'string' ? value : '';
  }

  /** Undefined where nothing was typed. */
  optional(name: string): string | undefined {
    const text = this.text(name).trim();
    return text === '' ? undefined : text;
  }

  /** The marked ones of a group of checkboxes. */
  all(name: string): readonly string[] {
    return this.data.getAll(name).filter((value) => typeof value === 'string');
  }

  has(name: string): boolean {
    return this.data.has(name);
  }
}

/** What is wrong with one field, and with the parts of it: `scopes.0` is of `scopes`. */
export function problemsOf(fields: FieldProblems, name: string): readonly string[] {
  return Object.entries(fields)
    .filter(([field]) => field === name || field.startsWith(`${name}.`))
    .flatMap(([, messages]) => messages);
}

/** What is wrong with fields that the form does not have. */
export function otherProblems(fields: FieldProblems, names: readonly string[]): readonly string[] {
  const isShown = (field: string) =>
    names.some((name) => field === name || field.startsWith(`${name}.`));
  return Object.entries(fields)
    .filter(([field]) => !isShown(field))
    .map(([field, messages]) => `${field}: ${messages.join(', ')}`);
}
