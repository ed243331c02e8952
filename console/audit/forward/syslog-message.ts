/** An entry as a syslog message (RFC 5424), and its frame on a stream (RFC 5425 §4.3). */
import type { Entry, EntryOutcome } from '../entry.ts';

/** Log audit (RFC 5424 §6.2.1). */
const facility = 13;
const severity: Readonly<Partial<Record<EntryOutcome, number>>> = {
  success: 6,
  partial: 5,
  denied: 4,
  failure: 3,
};
const notice = 5;
/** RFC 5424 §7.3.1. */
const mostSequence = 2 ** 31 - 1;

/**
 * @param line  the entry as it is stored, which the message carries byte for byte, so that the chain can be computed
 *   where it arrives: no byte order mark before it
 */
export function syslogMessage(
  { event, outcome, seq, time, writer }: Entry,
  line: Buffer,
  host: string,
): Buffer {
  const priority = facility * 8 + (severity[outcome] ?? notice);
  const sequence = ((seq - 1) % mostSequence) + 1;
  const fields = [time, word(host, 255), 'cluster-console', word(writer, 128), word(event, 32)];
  return Buffer.concat([
    Buffer.from(`<${priority}>1 ${fields.join(' ')} [meta sequenceId="${sequence}"] `),
    line,
  ]);
}

/** Its length comes first: what a message holds ends nothing. */
export function framed(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}

/** Printable US-ASCII without spaces; nothing is a dash. */
function word(text: string, most: number): string {
  const printable = text.replace(/[^\x21-\x7e]/g, '?').slice(0, most);
  return printable === '' ? '-' : printable;
}
