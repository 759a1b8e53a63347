import type { AggregateDefinition } from '@billing/chassis/aggregate';
import { type Organization, openSignInRules, type SignInRules } from './organization';

/** Organizations, each in its own live environment. */
export const organizations: AggregateDefinition<Organization> = {
  collection: 'organizations',
  aggregate: 'organization',
  resource: 'Organization',
  toDocument: ({ name, owners, signInRules }) => ({ name, owners, signInRules }),
  fromDocument: ({ _id, name, owners, signInRules }) => ({
    id: _id,
    name: name as string,
    // Absent in documents of releases without operators.
    owners: (owners as string[] | undefined) ?? [],
    // Absent in documents of earlier releases.
    signInRules: (signInRules as SignInRules | undefined) ?? openSignInRules,
  }),
};
