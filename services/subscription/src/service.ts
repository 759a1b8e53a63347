import { type RunningService, Service, type ServiceOverrides } from '@billing/chassis/service';
import { subscriptionCommands } from './commands';
import type { SubscriptionConfiguration } from './config';
import { connectPeers } from './peers';
import { takeDueStep } from './renewals';
import { subscriptionRpc } from './rpc';
import { changeSubscription, subscriptionDefinition } from './store';

/** Subscriptions, their renewals and their events. */
export async function start(
  config: SubscriptionConfiguration,
  overrides: ServiceOverrides = {},
): Promise<RunningService> {
  const service = await Service.open('subscription', config, overrides);
  const peers = connectPeers(service, config);
  const subscriptions = service.aggregates(subscriptionDefinition);
  subscriptions.handle({
    commands: subscriptionCommands(subscriptions, peers),
    wake: async (id, context) => {
      await changeSubscription(subscriptions, id, context, takeDueStep);
    },
  });
  return service.serve([subscriptionRpc({ subscriptions, peers, clock: service.clock })]);
}
