import { type InputProblems, lineProblems, optionalProblems } from '../input-problems';

const nameLengthMax = 120;
const unitLengthMax = 60;
/** Maximum length of a property name, as in events. */
export const propertyLengthMax = 255;

/** Fields of a meter that have rules of their own. */
export interface MeterFields {
  readonly name: string;
  /** UNKNOWN: a value that this version does not know. */
  readonly aggregation?: string | undefined;
  readonly uniqueProperty?: string | undefined;
  readonly unit?: string | undefined;
}

/** Problems of each field of a meter. */
export function meterProblems(fields: MeterFields): InputProblems {
  const { name, aggregation, uniqueProperty, unit } = fields;
  return {
    // A name of spaces only does not identify a meter.
    name: lineProblems(name.trim() === '' ? '' : name, { min: 1, max: nameLengthMax }),
    aggregation: aggregation === 'UNKNOWN' ? ['Unknown aggregation'] : [],
    uniqueProperty: propertyProblems(uniqueProperty, aggregation),
    unit: optionalProblems(unit, (text) => lineProblems(text, { max: unitLengthMax })),
  };
}

function propertyProblems(property: string | undefined, aggregation = 'SUM'): string[] {
  if (aggregation === 'UNKNOWN') return [];
  if (aggregation === 'UNIQUE_COUNT') {
    // Events cannot have a property of that name.
    if (property === '__proto__') return ['Key is reserved'];
    return lineProblems(property ?? '', { min: 1, max: propertyLengthMax });
  }
  return property === undefined ? [] : ['Only allowed with UNIQUE_COUNT'];
}
