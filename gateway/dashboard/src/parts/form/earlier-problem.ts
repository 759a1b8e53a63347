import { createContext } from 'react';

/** Problem that a form shows when it appears again, because a later step was refused. */
export const EarlierProblem = createContext<Error | undefined>(undefined);
