import type { FieldProblems } from '../../api/problem';

/** Values of a form. */
export class FormValues {
  constructor(private readonly data: FormData) {}

  text(name: string): string {
    const value = this.data.get(name);
    return typeof value === 'string' ? value : '';
  }

  /** Undefined for an empty field. */
  optional(name: string): string | undefined {
    const text = this.text(name).trim();
    return text === '' ? undefined : text;
  }

  /** Checked values of a group of checkboxes. */
  all(name: string): readonly string[] {
    return this.data.getAll(name).filter((value) => typeof value === 'string');
  }

  has(name: string): boolean {
    return this.data.has(name);
  }
}

/** True for equal texts, numbers, and lists or objects with the same fields in the same order. */
export function isSame(typed: unknown, stored: unknown): boolean {
  return JSON.stringify(typed) === JSON.stringify(stored);
}

/** Parts of an input that show whether its text is complete. */
interface TypedInput {
  readonly name: string;
  readonly type: string;
  readonly validity: { readonly badInput: boolean };
}

/**
 * Problems of inputs with an incomplete text, such as a date without its time. The browser gives
 * them an empty value, like fields that were left empty.
 */
export function incompleteProblems(inputs: readonly TypedInput[]): FieldProblems {
  const incomplete = inputs.filter(({ name, validity }) => name !== '' && validity.badInput);
  return Object.fromEntries(
    incomplete.map(({ name, type }) => [
      name,
      [type === 'datetime-local' ? 'Must be a complete date and time' : 'Must be complete'],
    ]),
  );
}

/**
 * Error messages of one field and its parts: `scopes.0` belongs to `scopes`. For the form field
 * `address.line1` the API reports `line1: …` under `address`.
 */
export function problemsOf(fields: FieldProblems, name: string): readonly string[] {
  return Object.entries(fields).flatMap(([field, messages]) =>
    messages.flatMap((message) => messageFor(name, field, message) ?? []),
  );
}

/**
 * Error messages of a group of fields that no field of the form shows: those of the group as a
 * whole, and of parts without a field.
 */
export function groupProblems(
  fields: FieldProblems,
  group: string,
  names: readonly string[],
): readonly string[] {
  return Object.entries(fields).flatMap(([field, messages]) =>
    messages.filter(
      (message) =>
        messageFor(group, field, message) !== undefined &&
        names.every((name) => messageFor(name, field, message) === undefined),
    ),
  );
}

/** Error messages of fields and groups that the form does not have. */
export function otherProblems(fields: FieldProblems, names: readonly string[]): readonly string[] {
  return Object.entries(fields).flatMap(([field, messages]) => {
    const others = messages.filter((message) =>
      names.every((name) => messageFor(name, field, message) === undefined),
    );
    return others.length === 0 ? [] : [`${field}: ${others.join(', ')}`];
  });
}

/** Part of a message that concerns one field; undefined if none does. */
function messageFor(name: string, field: string, message: string): string | undefined {
  if (field === name || field.startsWith(`${name}.`)) return message;
  if (!name.startsWith(`${field}.`)) return undefined;
  const part = `${name.slice(field.length + 1)}: `;
  return message.startsWith(part) ? message.slice(part.length) : undefined;
}
