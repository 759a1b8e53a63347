import {
  type InputProblems,
  lineProblems,
  optionalProblems,
  textProblems,
} from '../input-problems';
import { type PriceTermsInput, type PriceTermsParts, priceTermsProblems } from './price-terms';

import { taxCategoryProblems } from './tax-rate';

const nameLengthMax = 200;
const descriptionLengthMax = 2000;
const lookupKeyPattern = /^[a-z0-9._-]{1,100}$/;

/** Fields of a product that have rules of their own. */
export interface ProductFields extends PriceTermsInput {
  readonly name: string;
  readonly description?: string | undefined;
  readonly lookupKey?: string | undefined;
  readonly taxCategory?: string | undefined;
}

/** Problems of each field of a product. */
export function productProblems(
  fields: Omit<ProductFields, 'tiers'> & Pick<PriceTermsParts, 'tiers'>,
): InputProblems {
  return {
    name: lineProblems(fields.name, { min: 1, max: nameLengthMax }),
    description: optionalProblems(fields.description, (text) =>
      textProblems(text, { max: descriptionLengthMax }),
    ),
    ...priceTermsProblems(fields),
    lookupKey: optionalProblems(fields.lookupKey, lookupKeyProblems),
    taxCategory: optionalProblems(fields.taxCategory, taxCategoryProblems),
  };
}

function lookupKeyProblems(lookupKey: string): string[] {
  if (lookupKeyPattern.test(lookupKey)) return [];
  return ['Must be 1 to 100 characters of a-z, 0-9, ., _ and -'];
}
