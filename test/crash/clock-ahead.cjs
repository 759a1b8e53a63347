// Loaded before the code of a process (`--require`): its wall clock is ahead of the machine's by
// METERING_AHEAD_MS, if it is a process of metering.
'use strict';

const isMetering = (process.argv[1] ?? '').includes('/metering/');
const aheadMs = isMetering ? Number(process.env.METERING_AHEAD_MS ?? 0) : 0;

if (aheadMs !== 0) {
  const MachineDate = Date;
  globalThis.Date = class Date extends MachineDate {
    constructor(...parts) {
      if (parts.length === 0) super(MachineDate.now() + aheadMs);
      else super(...parts);
    }

    static now() {
      return MachineDate.now() + aheadMs;
    }
  };
}
