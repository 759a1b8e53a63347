import { examineEach, type Invariant, together } from './picture/invariant';

export const environmentsAreApart: Invariant = {
  id: 'I13',
  title: 'nothing is visible across environments',
  examine: (picture) => {
    const { foreignReads, foreignIds, events, subscriptions, invoices, discounts } = picture;
    if (foreignReads === undefined || foreignIds === undefined) return undefined;
    const own = [...subscriptions, ...invoices, ...discounts];
    const known = new Set(subscriptions.map(({ id }) => id));
    const { endpoints } = picture;
    return together(
      examineEach(foreignReads, ({ path, status }) => [
        status !== 404 && `another environment's key gets ${String(status)} for ${path}`,
      ]),
      examineEach(own, ({ id, organizationId }) => [
        foreignIds.has(id) && `another environment lists ${id}`,
        organizationId !== picture.organizationId && `${id} belongs to another organization`,
      ]),
      examineEach(events ?? [], (event) => [
        (event.environmentId !== picture.environmentId ||
          event.organizationId !== picture.organizationId) &&
          `event ${event.id} belongs to another environment`,
      ]),
      examineEach(endpoints, ({ id, received = [] }) =>
        received.map(({ text }) => {
          const { data } = JSON.parse(text) as {
            data?: { subscriptionId?: string | null };
          };
          // Null for an invoice of no subscription.
          const source = data?.subscriptionId ?? undefined;
          return (
            source !== undefined &&
            !known.has(source) &&
            `endpoint ${id} got an event of ${source}, which is not here`
          );
        }),
      ),
    );
  },
};
