import type { Generation } from './generation';

/** Storage of the list of generations. */
export interface GenerationStorage {
  readEpoch(): Promise<{ readonly current: number; readonly generations: readonly Generation[] }>;
  /**
   * Moves `current` from the given epoch to the next one, with which a generation begins; no effect
   * if it has moved, or the generation has begun.
   */
  beginGeneration(from: number, generation: Pick<Generation, 'name' | 'since'>): Promise<void>;
  /** Removes a generation from the list: later reads leave it out. */
  removeGeneration(name: string): Promise<void>;
}

/** Collections of generations that exist. */
export interface MadeCollections {
  /** Creates a collection and its indexes, unless they exist. */
  make(name: string): Promise<void>;
  /** Names of the collections that exist. */
  made(): Promise<readonly string[]>;
  drop(name: string): Promise<void>;
}
