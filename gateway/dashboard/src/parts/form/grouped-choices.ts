/** Choices by the name of their group, in the order of the first of each. */
export function grouped(
  choices: readonly string[],
  groupOf: (choice: string) => string,
): readonly (readonly [string, readonly string[]])[] {
  const groups = new Map<string, string[]>();
  for (const choice of choices) {
    const group = groupOf(choice);
    groups.set(group, [...(groups.get(group) ?? []), choice]);
  }
  return [...groups];
}
