import type { DomainEvent } from '@billing/kernel/transition';
import { fieldChangesBetween, type FieldChanges } from '@billing/proto/json/field-changes';
import type { AggregateChange, Stored } from './aggregate';

/** Event of a resource that was created or changed. */
export interface ResourceEvent extends DomainEvent {
  readonly data: {
    /** Empty in `created`. */
    readonly changes: FieldChanges;
  };
}

/**
 * Announces `<resource>.created` for an insert, and `<resource>.updated` for each write that
 * changes a field of the JSON form; other writes announce nothing. A decision may give an event of
 * one of these types with further data, which the announced event takes over.
 */
export function announceChanges<S>(
  resource: string,
  {
    toJson,
    without,
  }: {
    readonly toJson: (stored: Stored<S>) => object;
    /** Fields whose changes are no change of the resource. */
    readonly without?: readonly string[];
  },
) {
  return (
    decided: readonly DomainEvent[],
    { before, after }: AggregateChange<S>,
  ): readonly ResourceEvent[] => {
    const isNew = before === undefined;
    const type = `${resource}.${isNew ? 'created' : 'updated'}`;
    const changes = isNew
      ? {}
      : fieldChangesBetween({ ...toJson(before) }, { ...toJson(after) }, without);
    if (!isNew && Object.keys(changes).length === 0) return [];
    const given = decided.find((event) => event.type === type);
    return [{ type, data: { ...(given?.data as object | undefined), changes } }];
  };
}
