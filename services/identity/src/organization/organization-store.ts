import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { Organization } from './organization';

/** Organizations, each in its own live environment. */
export const organizations: AggregateDefinition<Organization> = {
  collection: 'organizations',
  aggregate: 'organization',
  resource: 'Organization',
  toDocument: ({ name, owners }) => ({ name, owners }),
  fromDocument: ({ _id, name, owners }) => ({
    id: _id,
    name: name as string,
    // Absent in documents of releases without operators.
    owners: (owners as string[] | undefined) ?? [],
  }),
};
