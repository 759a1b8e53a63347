import { byTouch } from './hands';
import { describeWalks } from './walks';

describeWalks(byTouch);
