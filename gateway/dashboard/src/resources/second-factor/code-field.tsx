import { TextField } from '../../parts/form/form';

/** Field of a code of the second factor. */
export function CodeField({ hint }: { hint: string }) {
  return (
    <TextField
      name="code"
      label="Code"
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      autoFocus
      hint={hint}
    />
  );
}
