import { CollectionMethod } from '../gen/billing/customer/v1/customer';
import { enumNames } from './enum-names';

export const collectionMethods = enumNames(CollectionMethod, 'COLLECTION_METHOD_');
