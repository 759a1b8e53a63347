import { toLocalField } from '../text/local-time-field';
import { utcText } from '../text/time-text';
import { type FieldLabel, TextField } from './form';

/** Time that is typed in the reader's time zone; in UTC on hover. `typedTime` reads it. */
export function TimeField({
  time = null,
  ...label
}: FieldLabel & { readonly time?: string | null }) {
  return (
    <TextField
      {...label}
      type="datetime-local"
      step={1}
      defaultValue={time === null ? '' : toLocalField(time)}
      title={time === null ? undefined : utcText(time)}
    />
  );
}
