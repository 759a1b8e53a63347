import { TextField } from '../../parts/form/form';

/** Field of a code of the second factor; it takes the focus as the first field of a form. */
export function CodeField({ hint, isFirst = true }: { hint: string; isFirst?: boolean }) {
  return (
    <TextField
      name="code"
      label="Code"
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      autoFocus={isFirst}
      hint={hint}
    />
  );
}
