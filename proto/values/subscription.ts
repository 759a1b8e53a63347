import {
  CancelReason,
  CollectionOutcome,
  SubscriptionPhase,
  SubscriptionStatus,
} from '../gen/billing/subscription/v1/subscription';
import { ParkReason } from '../gen/billing/subscription/v1/report';
import {
  ChangeAt,
  ChangeCollect,
  ChangeKind,
  ChangeProration,
  ChangeStatus,
} from '../gen/billing/subscription/v1/change';
import {
  MigrationResult,
  MigrationSkipReason,
  PriceMigrationStatus,
} from '../gen/billing/subscription/v1/price_migration';
import { ChangeSettlement } from '../gen/billing/subscription/v1/change_service';
import { enumNames } from './enum-names';

export const subscriptionStatuses = enumNames(SubscriptionStatus, 'SUBSCRIPTION_STATUS_');
export const subscriptionPhases = enumNames(SubscriptionPhase, 'SUBSCRIPTION_PHASE_');
export const cancelReasons = enumNames(CancelReason, 'CANCEL_REASON_');
export const changeStatuses = enumNames(ChangeStatus, 'CHANGE_STATUS_');
export const changeAts = enumNames(ChangeAt, 'CHANGE_AT_');
export const changeCollects = enumNames(ChangeCollect, 'CHANGE_COLLECT_');
export const changeKinds = enumNames(ChangeKind, 'CHANGE_KIND_');
export const changeProrations = enumNames(ChangeProration, 'CHANGE_PRORATION_');
export const changeSettlements = enumNames(ChangeSettlement, 'CHANGE_SETTLEMENT_');
export const priceMigrationStatuses = enumNames(PriceMigrationStatus, 'PRICE_MIGRATION_STATUS_');
export const migrationResults = enumNames(MigrationResult, 'MIGRATION_RESULT_');
export const migrationSkipReasons = enumNames(MigrationSkipReason, 'MIGRATION_SKIP_REASON_');
export const collectionOutcomes = enumNames(CollectionOutcome, 'COLLECTION_OUTCOME_');
export const parkReasons = enumNames(ParkReason, 'PARK_REASON_');
