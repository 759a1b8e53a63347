import { useState } from 'react';
import { TextField } from './form';
import { passwordHint, passwordStatus } from './new-password';

/** New password, which is checked while it is typed. */
export function NewPasswordField({ name, label }: { name: string; label: string }) {
  const [length, setLength] = useState(0);
  return (
    <>
      <TextField
        name={name}
        label={label}
        type="password"
        autoComplete="new-password"
        hint={passwordHint(length)}
        onInput={(event) => setLength(event.currentTarget.value.length)}
      />
      <span className="unseen" role="status">
        {passwordStatus(length)}
      </span>
    </>
  );
}
