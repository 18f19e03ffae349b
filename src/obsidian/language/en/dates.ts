import type { Messages } from '../message';

/** Days, months and durations. The months are one message, separated by spaces. */
export const datesTexts = {
  months: 'January February March April May June July August September October November December',
  shortMonths: 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec',
  day: '{day} {month}',
  dayOfYear: '{day} {month} {year}',
  monthOfYear: '{month} {year}',
  today: 'Today',
  yesterday: 'Yesterday',
  milliseconds: '{n} ms',
  seconds: '{n} s',
  minutes: '{n} min',
  hours: '{n} h',
  hoursAndMinutes: '{hours} h {minutes} min',
  minutesAndSeconds: '{minutes} min {seconds} s',
  todayInside: 'today',
  yesterdayInside: 'yesterday',
} as const satisfies Messages;
