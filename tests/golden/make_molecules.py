#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write molecules.txt: atoms and bonds of molecules by RDKit (Debian: python3-rdkit 202209).

usage: make_molecules.py > molecules.txt

A line has the SMILES, a tab, the number of bonds, and for each atom, sorted, its symbol, neighbours that are not
hydrogen, hydrogens, charge and unpaired electrons. RDKit sanitizes as by default, so its cleanUp() places charges;
then isotopes of hydrogen are removed, too.
"""
from rdkit import Chem, RDLogger

SMILES = """
c1ccc([N+](=O)[O-])cc1
c1ccc(N(=O)=O)cc1
c1cc(N(=O)=O)sc1
CON(=O)=O
[O-][N+](=O)C=Cc1ccco1
CCN=[N+]=[N-]
CCN=N#N
[N-]=[N+]=NCC
CC=[N+]=[N-]
CC=N#N
C[N-][N+]#N
c1cc[n+]([O-])cc1
c1ccn(=O)cc1
O=n1ccccc1C
C[N+](C)(C)[O-]
CN(C)(C)=O
CN=N(=O)C
C=[N+]([O-])C
CC=N(=O)C
CS(C)=O
C[S+](C)[O-]
CS(C)(=O)=O
C[S+2](C)([O-])[O-]
[O-]Cl(=O)(=O)=O
[O-][Cl+3]([O-])([O-])[O-]
OCl(=O)(=O)=O
OCl=O
[O-]Br(=O)=O
OI(=O)(=O)=O
CI(=O)=O
Clc1ccccc1
CP(C)(C)=O
C[P+](C)(C)[O-]
CP(C)(C)=C
C[P+](C)(C)[CH2-]
CC=P(=O)C
OP(=O)(O)O
[O-]P(=O)([O-])[O-]
[NH3+]CC(=O)[O-]
NCC(=O)O
CC(=O)[O-].[Na+]
CC(=O)O[Na]
[Na+].[Cl-]
CCN.Cl
C[O]
[CH3]
[Cl].CC
C[N+](C)(C)C
[NH4+]
[C-]#[O+]
C[N+]#[C-]
[2H]OC
[2H]C([2H])([2H])O
[H]C([H])([H])O
[13CH3]O
[2H]O[2H]
[3H]O[H]
[2H]c1c([2H])c([2H])c([2H])c([2H])c1[2H]
[2H]c1ccccc1N(=O)=O
[H+].[Cl-]
[H]Cl
[CH3:1][OH:2]
[H:3]OC
N[C@@H](C)C(=O)O
F/C=C/F
CC(=O)Nc1ccc(O)cc1
Oc1ccccn1
O=c1cccc[nH]1
c1cc[nH]c1
CC(C)(C)[Si](C)(C)O
C[Hg]Cl
"""

RDLogger.DisableLog("rdApp.*")
hydrogens = Chem.RemoveHsParameters()
hydrogens.removeIsotopes = True
for smiles in SMILES.split():
    molecule = Chem.RemoveHs(Chem.MolFromSmiles(smiles), hydrogens)
    atoms = sorted(
        f"{a.GetSymbol()}.{a.GetDegree()}.{a.GetTotalNumHs()}.{a.GetFormalCharge()}.{a.GetNumRadicalElectrons()}"
        for a in molecule.GetAtoms()
    )
    print(f"{smiles}\t{molecule.GetNumBonds()} {' '.join(atoms)}")
