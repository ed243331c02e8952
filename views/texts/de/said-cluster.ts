/** What the console says of members and the cluster elsewhere too, in German: why something is so, and why it is not done. */
export const saidOfClusterInGerman: Readonly<Record<string, string>> = {
  // What problems are called.
  'The member does not do this': 'Das Member tut das nicht',
  'The member closed the connection without an answer':
    'Das Member hat die Verbindung ohne Antwort geschlossen',
  'The endpoint group is off at the member': 'Die Endpunktgruppe ist am Member abgeschaltet',
  'The endpoint group {group} is off at the member {member}. Set {key} in its configuration and restart it':
    'Die Endpunktgruppe {group} ist am Member {member} abgeschaltet. Setzen Sie {key} in seiner Konfiguration, und starten Sie es neu',
  'No member can be reached': 'Kein Member ist zu erreichen',
  'The member is busy': 'Das Member ist ausgelastet',
  'The member did not answer in time': 'Das Member hat nicht rechtzeitig geantwortet',
  // Why a member is not ready, or gets no calls.
  'not asked yet': 'noch nicht gefragt',
  'it was not asked yet': 'es wurde noch nicht gefragt',
  unreachable: 'nicht zu erreichen',
  notReady: 'nicht bereit',
  timeout: 'keine Antwort in der Zeit',
  hungUp: 'Verbindung abgebrochen',
  'answers to /{path}': 'antwortet unter /{path}',
  'There is no member {name}. npx console member list shows them by host:port.':
    'Es gibt kein Member {name}. npx console member list zeigt sie mit host:port.',
  '{id} is the only member that takes calls: undrain another first.':
    '{id} ist das einzige Member, das Aufrufe annimmt: Beenden Sie erst die Entlastung eines anderen.',
  'No console runs here that could ask a member: start it.':
    'Hier läuft keine Konsole, die ein Member fragen könnte: Starten Sie sie.',
  'The member {member} does not take the credentials of the console: see CONSOLE_MEMBER_USERNAME.':
    'Das Member {member} nimmt die Zugangsdaten der Konsole nicht an: siehe CONSOLE_MEMBER_USERNAME.',
  'The member {member} answers in a form that is not known.':
    'Das Member {member} antwortet in einer unbekannten Form.',
  'The member {member} says that it has not done this.':
    'Das Member {member} sagt, dass es das nicht getan hat.',
  'The member {member} does not take this key.': 'Das Member {member} nimmt diesen Schlüssel nicht an.',
  'The member {member} says yes, and has no licence: a community edition takes none.':
    'Das Member {member} sagt Ja und hat keine Lizenz: Eine Community Edition nimmt keine an.',
  'The member {member} answers {status}: {reason}': 'Das Member {member} antwortet {status}: {reason}',
  'The member {member} answers {status}': 'Das Member {member} antwortet {status}',
  '{which}. Look whether the members run; try again in {seconds} seconds':
    '{which}. Sehen Sie nach, ob die Member laufen; versuchen Sie es in {seconds} Sekunden wieder',
  'No member is known': 'Es ist kein Member bekannt',
  'The member {member} cannot be reached': 'Das Member {member} ist nicht zu erreichen',
  'The member {member} did not answer in time': 'Das Member {member} hat nicht rechtzeitig geantwortet',
  '{said}. Whether it carried out the call is not known':
    '{said}. Ob es den Aufruf ausgeführt hat, ist nicht bekannt',
  'The member {member} closed the connection without an answer: {why}':
    'Das Member {member} hat die Verbindung ohne Antwort geschlossen: {why}',
  'it went down, or REST is off there (network.rest-api.enabled in its configuration)':
    'Es ist ausgefallen, oder REST ist dort abgeschaltet (network.rest-api.enabled in seiner Konfiguration)',
  'it answers to paths that begin with /{path}, and CONSOLE_MEMBER_PREFIX is {prefix}: correct or unset it':
    'Es antwortet unter Pfaden, die mit /{path} beginnen, und CONSOLE_MEMBER_PREFIX ist {prefix}: Korrigieren oder entfernen Sie es',
  'What the member {member} answered is no valid HTTP reply':
    'Was das Member {member} geantwortet hat, ist keine gültige HTTP-Antwort',
  'None of the members can be reached: {members}': 'Keines der Member ist zu erreichen: {members}',
  // Why something is not possible.
  'No member that takes calls answers.': 'Kein Member, das Aufrufe annimmt, antwortet.',
  'The endpoint group {group} is off at every member ({setting}).':
    'Die Endpunktgruppe {group} ist an jedem Member abgeschaltet ({setting}).',
  'Another change of the state is under way.': 'Eine andere Änderung des Zustands ist im Gang.',
  'There is no CP subsystem.': 'Es gibt kein CP-Subsystem.',
  'The CP group has no such session now.': 'Die CP-Gruppe hat jetzt keine solche Sitzung.',
  'There is no such CP member.': 'Ein solches CP-Member gibt es nicht.',
  'There is no such CP group.': 'Eine solche CP-Gruppe gibt es nicht.',
  'The member knows no synchronization of this id.': 'Das Member kennt keinen Abgleich mit dieser ID.',
  // Maps and queues.
  'The map has no entry of this key.': 'Die Map hat keinen Eintrag mit diesem Schlüssel.',
  'There is an entry of this key.': 'Es gibt schon einen Eintrag mit diesem Schlüssel.',
  'The entry has changed meanwhile: read it again.':
    'Der Eintrag hat sich inzwischen geändert: Lesen Sie ihn noch einmal.',
  'The value has {bytes} bytes, and more than {n} are not given in one piece: ask for its beginning (?first=65536), or for its /value.':
    'Der Wert hat {bytes} Bytes, und mehr als {n} werden nicht in einem Stück gegeben: Fragen Sie nach seinem Anfang (?first=65536) oder nach seinem /value.',
  'More than {n} cannot be pinned: unpin one first.':
    'Mehr als {n} lassen sich nicht anheften: Lösen Sie erst einen Namen.',
  'There is nothing of this id, or not any more.': 'Unter dieser ID gibt es nichts, oder nicht mehr.',
  'Items are still being taken: stop it first.':
    'Es werden noch Elemente entnommen: Brechen Sie das zuerst ab.',
  'There is no file of it here, or not any more.': 'Hier gibt es dazu keine Datei, oder nicht mehr.',
  'The file cannot be made ({code}). Nothing was taken.':
    'Die Datei lässt sich nicht anlegen ({code}). Es wurde nichts entnommen.',
  'The file cannot be written ({code}). The item that could not be written was put back, at the end of the queue.':
    'Die Datei lässt sich nicht schreiben ({code}). Das Element, das nicht geschrieben werden konnte, wurde am Ende der Queue wieder eingereiht.',
  'The file cannot be written ({code}). One item could neither be written nor be put back, and is lost.':
    'Die Datei lässt sich nicht schreiben ({code}). Ein Element ließ sich weder schreiben noch wieder einreihen und ist verloren.',
  '{why} The member may have given an item away that nobody got. What was taken before is in the file.':
    '{why} Das Member hat vielleicht ein Element herausgegeben, das niemand bekam. Was vorher entnommen wurde, ist in der Datei.',
  '{why} What was taken before is in the file.': '{why} Was vorher entnommen wurde, ist in der Datei.',
  '{why} Nothing was taken.': '{why} Es wurde nichts entnommen.',
  'The keys that it was asked for are not there any more: they are stored for 24 hours. Ask again.':
    'Die Schlüssel, die gelesen werden sollten, sind nicht mehr da: Sie werden 24 Stunden gespeichert. Lesen Sie sie erneut.',
  '{n} readings of this caller are not over yet: wait for one, or stop it.':
    '{n} Ihrer Lesejobs sind noch nicht vorbei: Warten Sie auf einen, oder brechen Sie ihn ab.',
  'The queue is full, says the member {member}.': 'Die Queue ist voll, sagt das Member {member}.',
  'The member {member} gives no size of a queue.': 'Das Member {member} nennt keine Größe der Queue.',
  // Why an item of a queue is lost.
  'the member broke off within it': 'das Member brach mittendrin ab',
  'the caller reset the connection behind it, and may have read it or not':
    'der Aufrufer hat die Verbindung dahinter zurückgesetzt und es vielleicht gelesen',
  'there was no room to keep it': 'es war kein Platz, es aufzuheben',
  'members differ in what queue its path names': 'für Member nennt der Pfad verschiedene Queues',
  'no member took it back': 'kein Member nahm es zurück',
  'no member has said whether it took it back': 'kein Member hat gesagt, ob es das Element zurücknahm',
  // What a member does not say.
  'The member does not answer.': 'Das Member antwortet nicht.',
  'The endpoint group {group} is off there.': 'Die Endpunktgruppe {group} ist dort aus.',
};
