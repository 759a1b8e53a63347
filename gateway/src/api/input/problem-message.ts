import type { z } from 'zod';

/**
 * Message for a schema issue, worded as in the services; undefined for the default of the schema
 * library.
 */
export function problemMessage(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined || issue.input === null
        ? 'Required'
        : typeMessages[issue.expected];
    case 'invalid_value':
      return `Must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_big':
      return boundMessage(
        issue.inclusive === false ? 'below' : 'at most',
        issue.origin,
        issue.maximum,
      );
    case 'too_small':
      return boundMessage(
        issue.inclusive === false ? 'above' : 'at least',
        issue.origin,
        issue.minimum,
      );
    case 'unrecognized_keys':
      return 'Unknown field';
    default:
      return undefined;
  }
}

const typeMessages: Partial<Record<string, string>> = {
  string: 'Must be a string',
  boolean: 'Must be true or false',
  number: 'Must be a number',
  int: 'Must be a whole number',
  object: 'Must be an object',
  array: 'Must be an array',
};

function boundMessage(side: string, origin: string, bound: number | bigint): string {
  switch (origin) {
    case 'string':
      return `Must be ${side} ${counted(bound, 'character')}`;
    case 'array':
      return `Must have ${side} ${counted(bound, 'element')}`;
    default:
      return `Must be ${side} ${String(bound)}`;
  }
}

function counted(count: number | bigint, noun: string): string {
  return `${String(count)} ${noun}${count.toString() === '1' ? '' : 's'}`;
}
