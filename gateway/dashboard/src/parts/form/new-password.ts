const lengthMin = 12;

/** Hint of a new password while it is typed. */
export function passwordHint(length: number): string {
  const missing = lengthMin - length;
  if (length === 0) return `At least ${String(lengthMin)} characters.`;
  return missing > 0 ? `${String(missing)} more needed.` : 'Long enough.';
}
