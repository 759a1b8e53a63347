import { type InputProblems, lineProblems, optionalProblems } from '../input-problems';

const nameLengthMax = 200;
// Times must have four digits of the year in ISO 8601, including all later times of a subscription
// created at the last instant.
const timeMin = new Date('1970-01-01T00:00:00.000Z');
const timeMax = new Date('8999-12-31T23:59:59.999Z');

/** Fields of a sandbox that have rules of their own. */
export interface SandboxFields {
  readonly name?: string | undefined;
  /** Undefined if unknown. */
  readonly clock?: 'REAL' | 'MANUAL' | undefined;
  readonly startsAt?: Date | undefined;
}

/** Problems of each field of a sandbox. */
export function sandboxProblems({ name, clock, startsAt }: SandboxFields): InputProblems {
  return {
    name: optionalProblems(name, (text) => lineProblems(text.trim(), { max: nameLengthMax })),
    startsAt: optionalProblems(startsAt, (time) =>
      clock === 'REAL' ? ['Requires a manual clock'] : environmentTimeProblems(time),
    ),
  };
}

/** Problems of a sandbox's time. */
export function environmentTimeProblems(time: Date): string[] {
  if (Number.isNaN(time.getTime())) return ['Invalid datetime'];
  return time >= timeMin && time <= timeMax ? [] : ['Must be in the years 1970 to 8999'];
}
