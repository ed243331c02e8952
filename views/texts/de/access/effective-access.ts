/** Effective access, and the change that opens a call, in German. */
import type { effectiveAccess as english } from '../../en/access/effective-access.ts';
import type { SameTexts } from '../../text-form.ts';

export const effectiveAccess: SameTexts<typeof english> = {
  'effective.about':
    'Was jeder an den Membern aufrufen darf, mit allem, was er hat. Eine Zelle führt dazu, warum das so ist.',
  'effective.notAt': '„Aber nicht auf“ einem Member: Solche Aufrufe sind dort für alle abgeschaltet.',
  'effective.ofWhom': 'Von wem',
  'effective.who': 'Wer',
  'effective.nobodyYet': 'Noch gibt es niemanden, nach dem man fragen könnte.',
  'effective.yes': 'Ja',
  'effective.no': 'Nein',
  'effective.some': 'Einige',
  'effective.offEverywhere': '{what}, aber auf keinem Member',
  'effective.offAt': '{what}, aber nicht auf {off} von {members} Membern',
  'effective.askAboutCall': 'Nach einem Aufruf fragen',
  'effective.caller': 'Aufrufer',
  'effective.machineClient': 'Maschinen-Client',
  'effective.method': 'Methode',
  'effective.ask': 'Fragen',
  'effective.may': '{id} darf',
  'effective.mayNot': '{id} darf nicht',
  'effective.decidedBy': 'Entschieden durch',
  'effective.atMembers': 'Abgeschaltet',
  'effective.groupOff':
    'Solche Aufrufe sind auf {members} abgeschaltet: Dort hilft keine Berechtigung. {setting} in der Konfiguration des Members schaltet sie ein, sobald es neu gestartet ist.',
  'effective.offEverywhereOpens':
    'Keine Berechtigung öffnet ihn: Solche Aufrufe sind auf jedem Member abgeschaltet. {setting} in der Konfiguration eines Members schaltet sie dort ein, sobald es neu gestartet ist.',
  'effective.smallestScope':
    '{given} hinzufügen, der kleinste Scope: Damit darf er {what}. Sonst öffnet das nichts.',
  'effective.smallestRole': 'Die Rolle {given} geben, die engste. Sie öffnet auch, was sie sonst öffnet.',
  'effective.close': 'Alle Aufrufe',
  'effective.offAtIt': '{what}, aber nicht auf {member}',
  'effective.opened': 'Geöffnet: Das nächste Token, das damit angefordert wird, kommt durch.',
  'effective.wan': 'WAN',
  'effective.cp': 'CP',
  'effective.openFor': 'Für {id} öffnen',
  'effective.mayAskToo': '{id} darf auch {scope} anfordern: das Geringste, was {call} öffnet.',
  'effective.tokensStay':
    'Vorhandene Token bleiben, wie sie sind. Der Scope muss mit dem nächsten angefordert werden.',
  'effective.getsRole': '{id} bekommt eine Rolle, die {call} öffnet, und was diese Rolle sonst noch öffnet.',
  'effective.countsWithNextToken':
    'Es gilt mit dem nächsten Token, das eine Anwendung für diese Person bekommt.',
  'effective.narrowestFirst': 'Rolle, die engste zuerst',
};
