import { CollectionMethod, TaxExempt, TaxIdType } from '../gen/billing/customer/v1/customer';
import { enumNames } from './enum-names';

export const collectionMethods = enumNames(CollectionMethod, 'COLLECTION_METHOD_');
export const taxIdTypes = enumNames(TaxIdType, 'TAX_ID_TYPE_');
export const taxExempts = enumNames(TaxExempt, 'TAX_EXEMPT_');
