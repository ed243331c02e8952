/** Certificates of an identity provider and of this console there: how old they are, and when they end. */
import { Text, useText } from '../../../texts/elements.tsx';
import { Ago } from '../../ago.tsx';
import { Facts, Id, Part } from '../../detail.tsx';
import { State } from '../../state.tsx';
import type { ShownProvider } from './provider-parts.tsx';

interface ShownCertificate {
  readonly subject: string;
  readonly validFrom: string;
  readonly validTo: string;
  readonly sha256: string;
}

interface CertificatesProps {
  readonly provider: ShownProvider;
  readonly now: Date;
}

function certificatesIn(settings: ShownProvider['settings']) {
  return (settings ?? {}) as {
    readonly certificates?: readonly ShownCertificate[];
    readonly ownCertificate?: ShownCertificate | null;
  };
}

/** Days before its end within which a list says so. */
const soonDays = 30;

/** Of several of the provider the one that lasts: the others may have been replaced by it. */
export function CertificateEnd({ provider: { enabled, settings }, now }: CertificatesProps) {
  const { certificates = [], ownCertificate } = certificatesIn(settings);
  const ends = (all: readonly ShownCertificate[]) => all.map(({ validTo }) => Date.parse(validTo));
  const last = [Math.max(...ends(certificates)), ...ends(ownCertificate ? [ownCertificate] : [])];
  const end = Math.min(...last.filter(Number.isFinite));
  if (!enabled || end - now.getTime() > soonDays * 86_400_000) return null;
  const isOver = end <= now.getTime();
  return (
    <State kind={isOver ? 'danger' : 'warn'}>
      <span>
        <Text
          id={isOver ? 'providers.certificateHasEnded' : 'providers.certificateEnds'}
          gaps={{ when: <Ago at={new Date(end)} now={now} /> }}
        />
      </span>
    </State>
  );
}

export function Certificates({ provider: { settings }, now }: CertificatesProps) {
  const t = useText();
  const { certificates = [], ownCertificate } = certificatesIn(settings);
  const all = [
    ...certificates.map((certificate) => ({ ...certificate, whose: t('providers.ofProvider') })),
    ...(ownCertificate ? [{ ...ownCertificate, whose: t('providers.ofConsole') }] : []),
  ];
  if (all.length === 0) return null;
  return (
    <Part id="certificates" title={t('providers.certificates')}>
      <Facts
        facts={all.map(({ whose, subject, validFrom, validTo, sha256 }) => ({
          name: whose,
          value: (
            <>
              <Text
                id={
                  Date.parse(validTo) < now.getTime()
                    ? 'providers.certificateEnded'
                    : 'providers.certificateUntil'
                }
                gaps={{
                  subject: <bdi>{subject}</bdi>,
                  since: <Ago at={new Date(validFrom)} now={now} />,
                  until: <Ago at={new Date(validTo)} now={now} />,
                }}
              />
              <br />
              SHA-256 <Id>{sha256}</Id>
            </>
          ),
        }))}
      />
    </Part>
  );
}
