import { Aggregation, CreditGrantStatus, CreditSource } from '../gen/billing/metering/v1/metering';
import { enumNames } from './enum-names';

export const aggregations = enumNames(Aggregation, 'AGGREGATION_');
export const creditSources = enumNames(CreditSource, 'CREDIT_SOURCE_');
export const creditGrantStatuses = enumNames(CreditGrantStatus, 'CREDIT_GRANT_STATUS_');
