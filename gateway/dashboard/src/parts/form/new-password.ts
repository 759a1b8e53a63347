// Limits of the identity service.
const lengthMin = 12;
const lengthMax = 200;

/** Hint of a new password while it is typed. */
export function passwordHint(length: number): string {
  const missing = lengthMin - length;
  if (length === 0) return `At least ${String(lengthMin)} characters.`;
  return missing > 0 ? `${String(missing)} more needed.` : passwordStatus(length);
}

/**
 * Part of the hint that screen readers announce. It changes only when a limit is reached, not with
 * each character; empty below the minimum.
 */
export function passwordStatus(length: number): string {
  if (length < lengthMin) return '';
  return length > lengthMax ? `At most ${String(lengthMax)} characters.` : 'Long enough.';
}
