import { byKeyboard } from './hands';
import { describeWalks } from './walks';

describeWalks(byKeyboard);
