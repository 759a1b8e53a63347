import type { Picture } from './picture';

/** The result of a check: the number of checked items, and the violations. */
export interface Examination {
  readonly examined: number;
  readonly findings: readonly string[];
  /** Parts of the rule that the reachable facts do not show. */
  readonly unseen?: readonly string[];
}

/** A rule that holds whenever the system is at rest. */
export interface Invariant {
  /** The number in the design. */
  readonly id: string;
  readonly title: string;
  /** Returns undefined if the picture lacks the necessary facts. */
  examine(picture: Picture): Examination | undefined;
}

/** Checks each item; a returned text is a violation. */
export function examineEach<T>(
  things: readonly T[],
  find: (thing: T) => readonly (string | false)[],
): Examination {
  return {
    examined: things.length,
    findings: things.flatMap(find).filter((one) => one !== false),
  };
}

export function together(...parts: readonly Examination[]): Examination {
  return {
    examined: parts.reduce((sum, { examined }) => sum + examined, 0),
    findings: parts.flatMap(({ findings }) => findings),
  };
}

/** Keys that occur more than once, with their count. */
export function repeated(keys: readonly string[]): [key: string, count: number][] {
  return [...countBy(keys)].filter(([, count]) => count > 1);
}

export function countBy(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

export function groupBy<T>(things: readonly T[], keyOf: (thing: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const thing of things) {
    const key = keyOf(thing);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [thing]);
    else group.push(thing);
  }
  return groups;
}
