/** Why nobody answered, in German: the words of platform/names/network-reason.ts, each with the code behind it. */
export const saidOfNetworkInGerman: Readonly<Record<string, string>> = {
  'The identity provider could not be reached: {reason}.':
    'Der Identitätsanbieter war nicht zu erreichen: {reason}.',
  'nobody listens there ({code})': 'dort antwortet niemand ({code})',
  'nobody listens at {at} ({code})': 'an {at} antwortet niemand ({code})',
  'its name is not known ({code})': 'der Name ist nicht bekannt ({code})',
  'the name of {at} is not known ({code})': 'der Name von {at} ist nicht bekannt ({code})',
  'names cannot be resolved now ({code})': 'Namen lassen sich jetzt nicht auflösen ({code})',
  'it did not answer in time ({code})': 'es kam keine Antwort in der Zeit ({code})',
  '{at} did not answer in time ({code})': '{at} hat nicht in der Zeit geantwortet ({code})',
  'no way through the network leads there ({code})': 'kein Weg im Netz führt dorthin ({code})',
  'no way through the network leads to {at} ({code})': 'kein Weg im Netz führt zu {at} ({code})',
  'the connection was broken off ({code})': 'die Verbindung wurde abgebrochen ({code})',
  'the connection failed ({code})': 'die Verbindung kam nicht zustande ({code})',
  'its certificate has expired ({code})': 'das Zertifikat ist abgelaufen ({code})',
  'its certificate is not valid yet ({code})': 'das Zertifikat gilt noch nicht ({code})',
  'its certificate is for another name ({code})': 'das Zertifikat ist für einen anderen Namen ({code})',
  'its certificate is signed by itself ({code})': 'das Zertifikat ist mit sich selbst signiert ({code})',
  'no authority that is known here vouches for its certificate ({code})':
    'keine hier bekannte Zertifizierungsstelle bürgt für das Zertifikat ({code})',
  'its certificate is not trusted ({code})': 'dem Zertifikat wird nicht vertraut ({code})',
  'it does not speak TLS ({code})': 'dort wird kein TLS gesprochen ({code})',
  'it sent too much ({code})': 'die Antwort war zu groß ({code})',
  'the request was given up ({code})': 'die Anfrage wurde aufgegeben ({code})',
  'something else answers there ({code})': 'dort antwortet etwas anderes ({code})',
  'the console does not call this address ({code})': 'diese Adresse ruft die Konsole nicht auf ({code})',
  'it answered with status {status} ({code})': 'die Antwort hatte den Status {status} ({code})',
};
