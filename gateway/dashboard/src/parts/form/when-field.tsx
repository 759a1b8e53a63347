import { useState } from 'react';
import { toTimeField } from '../text/time-field';
import { SelectField, TextField } from './form';
import { isTime, ownTime } from './when';

/** When a change takes effect: a named time, or a date and time in UTC. `chosenTime` reads it. */
export function WhenField({
  choices,
  at,
}: {
  /** Named times and their labels. */
  choices: readonly (readonly [string, string])[];
  /** The name or the time that is chosen at first. */
  at: string;
}) {
  const [choice, choose] = useState(isTime(at) ? ownTime : at);
  return (
    <>
      <SelectField
        name="when"
        label="When"
        choices={[...choices, [ownTime, 'From a date and time']]}
        value={choice}
        onChange={choose}
      />
      {choice === ownTime && (
        <TextField
          name="at"
          label="Date and time (UTC)"
          type="datetime-local"
          hint="Takes effect at the first period start at or after this time."
          defaultValue={isTime(at) ? toTimeField(at) : undefined}
        />
      )}
    </>
  );
}
