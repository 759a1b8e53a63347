import { useState } from 'react';
import { toTimeField } from '../text/time-field';
import { SelectField, TextField } from './form';
import { chosenTimeChoice, isTime } from './when';

/** When a change takes effect: a named time, or a date and time in UTC. `chosenTime` reads it. */
export function WhenField({
  choices,
  at,
  hint,
}: {
  /** Named times and their labels. */
  choices: readonly (readonly [string, string])[];
  /** The name or the time that is chosen at first. */
  at: string;
  /** Applies to every choice. */
  hint?: string;
}) {
  const [choice, choose] = useState(isTime(at) ? chosenTimeChoice : at);
  // Kept while another choice hides its field.
  const [time, setTime] = useState(isTime(at) ? toTimeField(at) : '');
  return (
    <>
      <SelectField
        name="when"
        label="When"
        {...(hint !== undefined && { hint })}
        choices={[...choices, [chosenTimeChoice, 'Not before a date and time']]}
        value={choice}
        onChange={choose}
      />
      {choice === chosenTimeChoice && (
        <TextField
          name="at"
          label="Not before (UTC)"
          type="datetime-local"
          hint="Takes effect at the first period start at or after this time."
          value={time}
          onChange={(event) => {
            setTime(event.target.value);
          }}
        />
      )}
    </>
  );
}
