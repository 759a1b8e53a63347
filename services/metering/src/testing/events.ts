import type { Db } from 'mongodb';
import { firstName, type Generation } from '../generation/generation';
import { EventCollections } from '../usage/event-store';

export const firstGeneration: Generation = { name: firstName, from: 0, since: new Date(0) };

/** Events of a database that has only the first generation. */
export function openEvents(db: Db): EventCollections {
  return new EventCollections(db, () => Promise.resolve([firstGeneration]));
}
