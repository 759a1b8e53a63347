import { ResultType } from '../gen/billing/search/v1/search';
import { enumNames } from './enum-names';

export const resultTypes = enumNames(ResultType, 'RESULT_TYPE_');
