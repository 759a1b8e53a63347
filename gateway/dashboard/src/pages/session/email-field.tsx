import { TextField } from '../../parts/form/form';

/** Field of the address that an operator signs in with. */
export function EmailField() {
  return (
    <TextField name="email" label="Email" type="email" autoComplete="username" inputMode="email" />
  );
}
