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

/**
 * What is wrong with one field, and with the parts of it: `scopes.0` is of `scopes`. Of the field `address.line1` the API says `line1: …` under
 * `address`.
 */
export function problemsOf(fields: FieldProblems, name: string): readonly string[] {
  return Object.entries(fields).flatMap(([field, messages]) =>
    messages.flatMap((message) => saidOf(name, field, message) ?? []),
  );
}

/** What is wrong with fields that the form does not have. */
export function otherProblems(fields: FieldProblems, names: readonly string[]): readonly string[] {
  return Object.entries(fields).flatMap(([field, messages]) => {
    const others = messages.filter((message) =>
      names.every((name) => saidOf(name, field, message) === undefined),
    );
    return others.length === 0 ? [] : [`${field}: ${others.join(', ')}`];
  });
}

/** What a message says of one field; undefined: it is about another. */
function saidOf(name: string, field: string, message: string): string | undefined {
  if (field === name || field.startsWith(`${name}.`)) return message;
  if (!name.startsWith(`${field}.`)) return undefined;
  const part = `${name.slice(field.length + 1)}: `;
  return message.startsWith(part) ? message.slice(part.length) : undefined;
}
